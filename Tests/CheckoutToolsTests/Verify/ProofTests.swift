// The verifier must be able to find each kind of violation: every test plants one into a world that is in order.

import CheckoutCore
import CheckoutSandbox
import CheckoutTools
import CheckoutWire
import Testing
import WorkerEngine

@Suite("checkout verify finds what is planted")
struct ProofTests {
  private func world() throws -> PlayedWorld { try PlayedWorld.samples.get() }

  @Test("a world in order has no violations, and looked at something everywhere")
  func clean() throws {
    let proof = try world().proof()
    #expect(proof.violations == [])
    for report in proof.reports { #expect(report.checked > 0, "\(report.name)") }
  }

  @Test("G1: an outcome that is missing")
  func missingAnswer() throws {
    var world = try world()
    world.records.remove(at: try world.index("outcomes", "checkout.failed"))
    #expect(world.violated() == ["G1 answers"])
  }

  @Test("G1: a message that is too young is no violation, and not clean")
  func youngAnswer() throws {
    var world = try world()
    world.records.remove(at: try world.index("outcomes", "checkout.failed"))
    world.grace = .hours(24)
    #expect(world.violated() == [])
    let report = try #require(world.proof().reports.first { $0.name == "answers" })
    #expect(report.verdict == .cannotTell)
  }

  @Test("G1: a second outcome of another kind for one message")
  func secondAnswer() throws {
    var world = try world()
    let index = try world.index("outcomes", "checkout.failed")
    world.records.append(world.changed(index, offset: 9_000, headers: world.headers(index, "ce_id", "another")))
    #expect(world.violated() == ["G1 answers"])
  }

  @Test("G1: a copy for a message that has its own answer")
  func strayCopy() throws {
    var world = try world()
    let index = try world.index("outcomes", "checkout.failed")
    world.records.append(
      world.changed(
        index, offset: 9_000, value: try world.edited(index, #""replayed":false"#, #""replayed":true"#),
        headers: world.headers(index, "ce_id", "another")))
    #expect(world.violated() == ["G1 answers"])
  }

  @Test("G1: an answer to a message that is not there")
  func unasked() throws {
    var world = try world()
    let index = try world.index("rejections")
    let origin = try #require(world.records[index].text("ce_origin"))
    let parts = origin.split(separator: "/")
    world.spans[TopicPartition(topic: "checkout.requests", partition: Int32(parts[1]) ?? 0)] = PartitionSpan(
      start: 0, end: 10_000)
    world.records.append(
      world.changed(
        index, offset: 9_000,
        headers: world.headers(index, "ce_origin", "\(parts[0])/\(parts[1])/9999/\(parts[3])").map {
          $0.name == Bytes("ce_id") ? Header("ce_id", "another") : $0
        }))
    #expect(world.violated() == ["G1 asked"])
  }

  @Test("G1: one id with two contents")
  func twoContents() throws {
    var world = try world()
    let index = try world.index("outcomes", "checkout.failed")
    world.records.append(
      world.changed(index, offset: 9_000, value: try world.edited(index, #""code":""#, #""code":"x"#)))
    #expect(world.violated() == ["G1 same_content", "G5 same_key"])
  }

  @Test("G2: two charges for one checkout, even if one is refunded")
  func chargedTwice() throws {
    var world = try world()
    let captured = try #require(world.ledger?.first { $0.kind == .captured })
    let amount = try #require(captured.amount)
    func entry(_ kind: LedgerEntry.Kind) -> LedgerEntry {
      LedgerEntry(
        sequence: 0, kind: kind, key: "another", merchantID: captured.merchantID, checkoutID: captured.checkoutID,
        object: "ch_other", amount: amount, at: captured.at)
    }
    world.ledger?.append(entry(.captured))
    world.ledger?.append(entry(.refunded))
    #expect(world.violated() == ["G2 charged_once", "G2 charges_known"])
  }

  @Test("G2: a charge that no attempt knows")
  func unknownCharge() throws {
    var world = try world()
    let captured = try #require(world.ledger?.first { $0.kind == .captured })
    world.attempts.removeAll { $0.identity.checkoutID == captured.checkoutID }
    #expect(world.violated().contains("G2 charges_known"))
  }

  @Test("G3: a capture of another amount, and in another currency")
  func otherAmount() throws {
    var world = try world()
    let index = try world.index("outcomes", "checkout.completed")
    let text = String(decoding: world.records[index].value?.array ?? [], as: UTF8.self)
    let amount = try #require(text.firstMatch(of: /"amount_minor":(\d+)/)?.1)
    world.records[index] = world.changed(
      index, value: try world.edited(index, "\"amount_minor\":\(amount)", "\"amount_minor\":\(amount)1"))
    #expect(world.violated() == ["G3 amounts"])
    world = try self.world()
    world.records[index] = world.changed(
      index, value: try world.edited(index, #""currency":""#, #""currency":"X"#))
    #expect(world.violated() == ["G3 amounts"])
  }

  @Test("G3: a completed checkout without a receipt, and one with two")
  func receipts() throws {
    var world = try world()
    let receipt = try #require(world.ledger?.firstIndex { $0.kind == .receipted && $0.parent != nil })
    let entry = try #require(world.ledger?[receipt])
    world.ledger?.append(entry)
    #expect(world.violated() == ["G3 money_settled"])
    world.ledger?.removeAll { $0.kind == .receipted && $0.parent == entry.parent }
    #expect(world.violated() == ["G3 money_settled"])
  }

  @Test("G3: money that is kept although the checkout ended unpaid")
  func keptMoney() throws {
    var world = try world()
    let refund = try #require(world.ledger?.firstIndex { $0.kind == .refunded })
    world.ledger?.remove(at: refund)
    #expect(world.violated() == ["G3 money_settled"])
  }

  @Test("G4: a dead letter with other bytes, with another header, and of a message that is not there")
  func deadLetters() throws {
    var world = try world()
    let index = try #require(
      world.records.firstIndex { record in
        record.position.topic == "checkout.dead-letters" && record.text("dlq-redacted") == nil
          && record.text("dlq-truncated") == nil
      })
    world.records[index] = world.changed(index, value: Bytes("other"))
    #expect(world.violated() == ["G4 dead_letters"])
    world = try self.world()
    world.records[index] = world.changed(index, headers: world.records[index].headers + [Header("x", "y")])
    #expect(world.violated() == ["G4 dead_letters"])
  }

  @Test("G5: a result for other content under a used key")
  func sameKey() throws {
    var world = try world()
    let conflict = try #require(
      world.records.first { record in
        record.position.topic == "checkout.rejections"
          && String(decoding: record.value?.array ?? [], as: UTF8.self).contains("idempotency_conflict")
      })
    let origin = try #require(conflict.text("ce_origin"))
    let index = try world.index("outcomes", "checkout.completed")
    world.records.removeAll { $0.position == conflict.position }
    world.records.append(
      world.changed(
        index, offset: 9_000, value: try world.edited(index, #""replayed":false"#, #""replayed":true"#),
        headers: world.headers(index, "ce_origin", origin).map {
          $0.name == Bytes("ce_id") ? Header("ce_id", "another") : $0
        }))
    #expect(world.violated().contains("G5 same_key"))
  }

  @Test("G6: two messages of one key passed on in the wrong order")
  func order() throws {
    var world = try world()
    let passed = world.records.indices.filter { world.records[$0].position.topic == "checkout.validated" }
    var pair: (Int, Int)?
    for first in passed {
      let key = world.records[first].key
      if let second = passed.first(where: { $0 > first && world.records[$0].key == key }) {
        pair = (first, second)
        break
      }
    }
    let (first, second) = try #require(pair)
    let (one, other) = (world.records[first], world.records[second])
    world.records[first] = world.changed(second, offset: one.position.offset)
    world.records[second] = TopicRecord(
      position: other.position, key: one.key, value: one.value, headers: one.headers)
    #expect(world.violated() == ["G6 order"])
  }

  @Test("G7: stock that an unpaid checkout still holds, and a paid one whose hold is not confirmed")
  func stock() throws {
    var world = try world()
    let release = try #require(world.ledger?.firstIndex { $0.kind == .released })
    world.ledger?.remove(at: release)
    world.now = world.now - .seconds(1200)
    #expect(world.violated() == ["G7 stock"])
    world = try self.world()
    world.ledger?.removeAll { $0.kind == .confirmed }
    #expect(world.violated() == ["G7 stock"])
  }

  @Test("without a ledger nothing about money is clean")
  func noLedger() throws {
    var world = try world()
    world.ledger = nil
    let proof = world.proof()
    #expect(proof.violations == [])
    let told = Set(proof.reports.filter { $0.verdict == .clean }.map(\.name))
    #expect(told.isDisjoint(with: ["charged_once", "charges_known", "amounts", "money_settled", "stock"]))
  }

  @Test("records that are gone from their topic cannot be told")
  func retention() throws {
    var world = try world()
    let index = try world.index("requests")
    let place = world.records[index].position
    world.records.removeAll { record in
      record.position.topic == place.topic && record.position.partition == place.partition
        && record.position.offset <= place.offset
    }
    world.spans[TopicPartition(topic: place.topic, partition: place.partition)] = PartitionSpan(
      start: place.offset + 1, end: 10_000)
    let proof = world.proof()
    #expect(proof.violations == [])
    #expect(proof.reports.first { $0.name == "asked" }?.doubts[.retention] == 1)
  }
}
