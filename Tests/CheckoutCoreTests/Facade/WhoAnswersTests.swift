// Who answers, and what is paid at most once: each rule, with the crash that would break it.

import CheckoutCore
import Testing

@Suite struct WhoAnswersTests {
  private func world(_ prepare: (TestWorld) throws -> Void) rethrows -> TestWorld {
    let world = TestWorld()
    try prepare(world)
    #expect(world.run())
    #expect(world.violations.isEmpty)
    #expect(world.journal.violations.isEmpty)
    return world
  }

  private static let transient = Fate.trouble(.notApplied(.transient, detail: "503"))
  private func request(_ key: String = "key-0000000000000001", _ print: String = "1:a") throws -> TestMessage.Content {
    .request(try SagaSample.request(key: key), Fingerprint(print))
  }

  // MARK: Rules 1 to 6

  @Test("1: the worker dies after any step; the next one goes on, with one charge, one receipt, one outcome")
  func goesOn() throws {
    for step in ["reserve", "reserved", "captured", "completed"] {
      let world = try world {
        $0.put(try request())
        $0.onStep[step] = { $0.crash(.facade) }
      }
      #expect(world.story == ["completed"], "killed after \(step)")
      #expect(world.payments.entries.count == 1)
      #expect(world.receipts.sent.count == 1)
    }
  }

  @Test("1: a live owner is waited for; an owner that lives on as a zombie takes no second charge")
  func zombie() throws {
    for operation in [CheckoutCore.Operation.reserve, .charge, .confirm, .receipt] {
      let world = try world {
        $0.put(try request())
        $0.onCall[operation] = { $0.makeZombie(.facade) }
      }
      #expect(world.story == ["completed"], "zombie at \(operation.rawValue)")
      #expect(world.payments.entries.count == 1)
    }
  }

  @Test("1: parked, and the notice not yet committed: published again, under the same id")
  func parkedAgain() throws {
    let world = try world {
      $0.put(try request())
      $0.receipts.refuses = true
      $0.onStep["parked"] = { $0.crash(.facade) }
    }
    #expect(world.story == ["parked"])
    #expect(world.row?.parkedNotices == 1)
  }

  @Test("2: a hand-over whose transaction was not committed is published again with the same ids and notice number")
  func handOverAgain() throws {
    func run(killed: Bool) throws -> TestWorld {
      try world {
        $0.put(try request())
        $0.script[.receipt] = Array(repeating: Self.transient, count: 3)
        if killed { $0.onStep["handed over"] = { $0.crash(.facade) } }
      }
    }
    let calm = try run(killed: false)
    let killed = try run(killed: true)
    #expect(killed.story == ["receipt.pending", "receipt_pending", "completed"])
    #expect(killed.published.map(\.id) == calm.published.map(\.id))
    #expect(killed.row?.receiptPendingNotices == 1)
  }

  @Test("3: a pending event that nobody waits for publishes nothing")
  func strayPending() throws {
    let world = try world { $0.put(try request()) }
    world.put(
      .pending(
        eventID: "stray", AttemptID(merchantID: "shop-eu", idempotencyKey: "key-0000000000000001"), notBefore: nil))
    world.run()
    #expect(world.story == ["completed"])
    #expect(world.messages.filter { !$0.isCommitted }.isEmpty)
  }

  @Test("4: the same request validated twice is answered once")
  func sameOrigin() throws {
    let world = try world {
      let first = $0.put(try request())
      $0.put(try request(), origin: $0.messages[first].origin, after: .milliseconds(20))
      $0.put(try request(), origin: $0.messages[first].origin, after: .seconds(60))
    }
    #expect(world.story == ["completed"])
  }

  @Test("5 and 6: copies are answered once each, with the outcome or after it; a crash in between changes nothing")
  func copies() throws {
    for step in ["", "copy listed"] {
      for after in [TimeSpan.milliseconds(20), .seconds(60)] {
        let world = try world {
          $0.put(try request())
          $0.put(try request(), after: after)
          $0.onStep[step] = { $0.crash(.facade) }
        }
        #expect(world.answers(to: 0) == ["completed"])
        #expect(world.answers(to: 1) == ["completed*"])
      }
    }
  }

  @Test("6: more than a hundred waiting copies are told that it is in progress")
  func tooMany() throws {
    let world = try world {
      $0.settings.waitingMax = 3
      $0.script[.charge] = [.slow(.seconds(9))]
      $0.put(try request())
      for number in 0..<5 { $0.put(try request(), after: .seconds(1) + .milliseconds(Int64(number * 100))) }
    }
    #expect(world.story.filter { $0 == "completed*" }.count == 3)
    #expect(world.story.filter { $0 == "rejected checkout_in_progress" }.count == 2)
  }

  @Test("copies after the end do not make the row grow: each is answered, the oldest are forgotten")
  func floodAfterTheEnd() throws {
    let world = try world {
      $0.settings.waitingMax = 3
      $0.put(try request())
      for number in 0..<10 { $0.put(try request(), after: .seconds(Int64(60 + number))) }
    }
    #expect(world.story == ["completed"] + Array(repeating: "completed*", count: 10))
    #expect(world.row?.waiting.map(\.origin) == [8, 9, 10].map { TestWorld.origin($0) })
  }

  @Test("lost offsets: everything ended is answered again, marked, and nothing is done twice")
  func lostOffsets() throws {
    let world = try world {
      $0.put(try request())
      $0.put(try request(), after: .milliseconds(20))
    }
    let before = world.published
    for index in world.messages.indices {
      world.messages[index].isCommitted = false
      world.messages[index].offsetsWereLost = true
      world.schedule(.deliver(index), after: .zero)
    }
    world.run()
    #expect(world.story == ["completed", "completed*", "completed*", "completed*"])
    #expect(world.payments.entries.count == 1)
    let again = world.published.dropFirst(2)
    #expect(again.contains(before[1]))
    #expect(again.filter { $0.origin == before[0].origin }.allSatisfy { $0.id != before[0].id })
  }

  // MARK: Paid at most once

  @Test("another key: in progress, paid already, closed; a new attempt only after a failure without money")
  func paidOnce() throws {
    let other = "key-0000000000000002"
    func expect(_ answer: String, after span: TimeSpan, _ prepare: (TestWorld) -> Void) throws {
      let world = try world {
        prepare($0)
        $0.put(try request())
        $0.put(try request(other, "1:b"), after: span)
      }
      #expect(world.answers(to: 1) == [answer])
    }
    try expect("rejected checkout_in_progress", after: .seconds(3)) { $0.script[.charge] = [.slow(.seconds(9))] }
    try expect("rejected already_paid", after: .seconds(60)) { _ in }
    try expect("rejected already_paid", after: .seconds(3)) { $0.script[.receipt] = [.lostRequest] }
    try expect("rejected already_paid", after: .seconds(60)) { $0.receipts.refuses = true }
    try expect("rejected checkout_closed", after: .seconds(60)) { $0.payments.rule = .captureOnly(1) }
    try expect("rejected checkout_closed", after: .seconds(60)) { $0.onCall[.charge] = { $0.cancel() } }
    try expect("completed", after: .seconds(60)) {
      $0.payments.rule = .decline
      $0.onCall[.release] = { $0.payments.rule = .capture }
    }
  }

  @Test("the same key with other content: a conflict, and the first result is left alone")
  func conflict() throws {
    let world = try world {
      $0.put(try request())
      $0.put(try request("key-0000000000000001", "1:other"), after: .milliseconds(30))
    }
    #expect(world.answers(to: 1) == ["rejected idempotency_conflict"])
    #expect(world.answers(to: 0) == ["completed"])
  }

  @Test("a repeat that validation now refuses gets the first result; an unknown one gets the refusals")
  func refusedRepeat() throws {
    let refusal = Refusal(.priceChanged, path: "/items/0", message: "Another price.")
    let id = AttemptID(merchantID: "shop-eu", idempotencyKey: "key-0000000000000001")
    let world = try world {
      $0.put(.refused(id, Fingerprint("1:a"), [refusal]))
      $0.put(try request(), after: .seconds(1))
      $0.put(.refused(id, Fingerprint("1:a"), [refusal]), after: .seconds(60))
    }
    #expect(world.story == ["rejected price_changed", "completed", "completed*"])
  }

  @Test("a row whose data the journal refuses is parked; the others go on")
  func journalRefuses() throws {
    let world = try world {
      $0.journal.refusesSteps = ["captured"]
      $0.put(try request())
    }
    #expect(world.row?.parked?.reason == .journalRefused)
    #expect(world.story == ["parked"])
  }
}
