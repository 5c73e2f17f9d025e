// Every row against every kind of message: a defined answer, money never forgotten, an end never changed.

import CheckoutCore
import Testing

@Suite struct AdmissionTests {
  private struct Tried {
    let kind: MessageKind
    let row: Attempt
    let met: Met
  }

  private func all() throws -> [Tried] {
    var tried: [Tried] = []
    for plain in try SagaRows.all() {
      for kind in MessageKind.allCases {
        let row = kind.prepared(plain)
        tried.append(Tried(kind: kind, row: row, met: try kind.meet(row)))
      }
    }
    return tried
  }

  @Test("each write is the next version of the row, and keeps what is known of money, of waiting origins and of an end")
  func writes() throws {
    let tried = try all()
    #expect(tried.count > 5000)
    for one in tried {
      guard let next = one.met.write?.row, next.identity == one.row.identity else { continue }
      let comment: Comment = "\(one.kind) met \(one.row.state) \(one.row.charge.status)"
      #expect(next.version == one.row.version + 1, comment)
      #expect(next.epoch >= one.row.epoch, comment)
      #expect(next.waiting.starts(with: one.row.waiting), comment)
      #expect(next.everHeldMoney == one.row.everHeldMoney, comment)
      if one.row.hasEnded { #expect(next.state == one.row.state, comment) }
      if next.holdsMoney != one.row.holdsMoney { #expect(one.kind == .resolveWithEvidence, comment) }
      if next.hasEnded, !one.row.hasEnded { #expect(next.endedAt != nil && next.parked == nil, comment) }
    }
  }

  @Test("only a person's word, and a cancellation where money is held, takes the mark of a parked attempt away")
  func marks() throws {
    for one in try all() where one.row.parked != nil {
      guard let next = one.met.write?.row, next.identity == one.row.identity, next.parked == nil else { continue }
      switch one.kind {
      case .retry, .resolveCompleted, .resolveFailed, .resolveCancelled, .resolveWithEvidence: break
      case .cancel: #expect(one.row.holdsMoney)
      case .owedMessage, .sameOriginAgain, .copy, .otherContent, .otherKey, .refusedRepeat, .cancelAgain, .pendingOwed,
        .pendingNotDue, .pendingStray, .staleWord, .sweep:
        Issue.record("\(one.kind) took the mark of \(one.row.state) away")
      }
    }
  }

  @Test("a paid or open checkout is never open to another key; one that ended without money ever moving is")
  func otherKey() throws {
    for one in try all() where one.kind == .otherKey {
      let isNew = if case .admission(.create) = one.met { true } else { false }
      let isUnpaidForGood =
        if case .failed = one.row.state { !one.row.everHeldMoney && one.row.watch == nil } else { false }
      #expect(isNew == isUnpaidForGood, "\(one.row.state) \(one.row.charge.status)")
      guard case .admission(.answer(.refuse(let refusals))) = one.met, let code = refusals.first?.code else { continue }
      switch one.row.state {
      case .completed: #expect(code == .alreadyPaid)
      case .failed, .cancelled: #expect(code == .checkoutClosed)
      case .receipting, .receiptPending: #expect(code == (one.row.holdsMoney ? .alreadyPaid : .checkoutInProgress))
      case .reserving, .charging, .releasing, .refunding:
        #expect(code == (one.row.parked != nil && one.row.holdsMoney ? .alreadyPaid : .checkoutInProgress))
      }
    }
  }

  @Test("unpaid while money is held is refused to a person, in every state")
  func unpaidWithMoney() throws {
    for one in try all() where one.row.holdsMoney {
      switch one.kind {
      case .resolveFailed, .resolveCancelled:
        guard let next = one.met.write?.row else { continue }
        #expect(next.holdsMoney && next.parked == one.row.parked, "\(one.row.state)")
      case .owedMessage, .sameOriginAgain, .copy, .otherContent, .otherKey, .refusedRepeat, .cancel, .cancelAgain,
        .pendingOwed, .pendingNotDue, .pendingStray, .retry, .resolveCompleted, .resolveWithEvidence, .staleWord,
        .sweep:
        break
      }
    }
  }

  @Test("a message that comes again after its write was lost with its transaction changes nothing more")
  func comesAgain() throws {
    for one in try all() {
      guard case .admission(.write(let write, then: let answer)) = one.met else { continue }
      let again = try one.kind.meet(write.row)
      #expect(again.write == nil, "\(one.kind) met \(one.row.state) twice: \(again)")
      if case .admission(.answer(let second)) = again { #expect(second == answer, "\(one.kind) met \(one.row.state)") }
    }
  }
}
