// One pass of the journal: attempts through the four states of a good day, batch after batch.

import CheckoutCore
import Glibc
import JournalQueue
import JournalSamples
import Operations
import SQLiteAdapter
import Synchronization

/// Runs in a process of its own. Rows are made between the batches, outside the measured time; while a batch is measured
/// this thread only waits, so that the CPU is the journal's.
struct JournalPass {
  private let path: String
  private let batch: Int
  private let count: Int

  init(_ arguments: ArraySlice<String>) throws {
    let list = Array(arguments)
    guard list.count == 3, let batch = Int(list[1]), let count = Int(list[2]), batch > 0 else {
      throw BenchProblem("journal-pass PATH BATCH COUNT")
    }
    path = list[0]
    self.batch = batch
    self.count = count
  }

  func run() throws {
    let clock = SystemClock()
    let journal = try SQLiteJournal(
      path: path, missing: .create,
      time: JournalTimeSource(
        wall: { Timestamp(nanoseconds: clock.wallNanoseconds()) },
        boot: { BootTime(nanoseconds: clock.bootNanoseconds()) }))
    let written = Atomic(0)
    let bell = Doorbell()
    var (done, wall, cpu) = (0, Int64(0), 0)
    for first in stride(from: 0, to: .max, by: batch) where done < count {
      for requests in requests(first: first) {
        let begin = (wall: clock.bootNanoseconds(), cpu: Glibc.clock())
        let target = done + requests.count
        journal.submit(requests) { replies in
          let good = replies.count { $0.result == .written }
          written.add(good, ordering: .releasing)
          bell.ring()
        }
        while written.load(ordering: .acquiring) < target { bell.wait(nanoseconds: 1_000_000_000) }
        done = target
        wall += clock.bootNanoseconds() - begin.wall
        cpu += Glibc.clock() - begin.cpu
      }
      if done >= count { break }
    }
    journal.close()
    print("\(done) \(Double(wall) / 1e9) \(Double(cpu) / Double(CLOCKS_PER_SEC))")
  }

  /// Four batches: each attempt's four writes.
  private func requests(first: Int) -> [[JournalRequest]] {
    let rows = (first..<first + batch).compactMap { number in
      SampleAttempts.new("key-\(number)-0000000000000000", checkout: "chk-\(number)").map(\.goodDay)
    }
    return (0..<4).map { version in
      rows.enumerated().map { index, row in
        let write = AttemptWrite(row[version], "\(first)-\(index)-\(version)")
        return JournalRequest(id: UInt64(index), command: version == 0 ? .create(write) : .update(write))
      }
    }
  }
}
