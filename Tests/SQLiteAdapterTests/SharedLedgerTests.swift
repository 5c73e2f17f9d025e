// One sandbox ledger, several processes.

import CheckoutCore
import CheckoutSandbox
import JournalSamples
import Operations
import SQLiteAdapter
import Testing

@Suite(.serialized) struct SharedLedgerTests {
  // 1. Several processes made one file at the same moment; all but one were told at once that it was locked for 30 s.
  @Test("threads that make one file at the same moment all open it, 50 times")
  func madeTogether() throws {
    let folder = try TemporaryFolder()
    for round in 0..<50 {
      let path = folder.path("together-\(round).db")
      let opened = AnswerBox<Bool>()
      let threads = try (0..<4).map { _ in
        try NamedThread(name: "opener") {
          opened.put([(try? SQLiteSandboxLedger(path: path, missing: .create)) != nil])
        }
      }
      for thread in threads { thread.join() }
      #expect(opened.all == [true, true, true, true])
    }
  }

  @Test("three processes that charge the same checkouts take the money once and give the same ids")
  func sameCharges() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("ledger.db")
    let payers = try (0..<3).map { _ in try Hammer(["pay", path, "40"]) }
    let expected = (0..<40).flatMap { number in Array(repeating: "chk_\(number) ch_k\(number)", count: 2) }
    for payer in payers {
      #expect(payer.readLines(atLeast: .max) == expected)
      #expect(payer.waitForExit() == 0)
    }
    let ledger = try SQLiteSandboxLedger(path: path, missing: .refuse)
    let report = try LedgerReport(of: ledger, at: SampleAttempts.start)
    #expect(report.doubleCharged == [])
    #expect(report.charges == 40)
    #expect(try ledger.entries(after: 0, limit: 1000).map(\.sequence) == (1...40).map { Int64($0) })
  }
}
