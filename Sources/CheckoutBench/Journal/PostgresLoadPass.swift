// One pass of the PostgreSQL journal as workers use it: so many attempts in flight, each writes its next version as soon as
// the last one is acknowledged. Batches form by themselves.

import CheckoutCore
import Glibc
import JournalQueue
import JournalSamples
import Operations
import PostgresAdapter
import Synchronization

/// Runs in a process of its own.
struct PostgresLoadPass {
  private let address: String
  private let inFlight: Int
  private let count: Int

  init(_ arguments: ArraySlice<String>) throws {
    let list = Array(arguments)
    guard list.count == 3, let inFlight = Int(list[1]), let count = Int(list[2]), inFlight > 0 else {
      throw BenchProblem("journal-load-pass ADDRESS IN_FLIGHT COUNT")
    }
    address = list[0]
    self.inFlight = inFlight
    self.count = count
  }

  func run() throws {
    let clock = SystemClock()
    let journal = try PostgresJournal(try PostgresLocation(address))
    // Rows are made before, outside the measured time.
    let attempts = (0..<count / 4).compactMap { number in
      SampleAttempts.new("key-\(number)-0000000000000000", checkout: "chk-\(number)").map(\.goodDay)
    }
    let acknowledged = Mutex<[JournalReply]>([])
    let bell = Doorbell()
    let sink: JournalSink = { replies in
      acknowledged.withLock { $0 += replies }
      bell.ring()
    }
    let begin = (wall: clock.bootNanoseconds(), cpu: Glibc.clock())
    var next = min(inFlight, attempts.count)
    var version = [Int](repeating: 0, count: attempts.count)
    journal.submit((0..<next).map { Self.request(attempts[$0], $0, 0) }, sink: sink)
    var ended = 0
    while ended < attempts.count {
      let replies = acknowledged.withLock { replies in
        let taken = replies
        replies = []
        return taken
      }
      if replies.isEmpty { bell.wait(nanoseconds: 1_000_000_000) }
      var requests: [JournalRequest] = []
      requests.reserveCapacity(replies.count)
      for reply in replies {
        guard reply.result == .written else { throw BenchProblem("not written: \(reply.result)") }
        let number = Int(reply.id)
        version[number] += 1
        if version[number] < 4 {
          requests.append(Self.request(attempts[number], number, version[number]))
          continue
        }
        ended += 1
        if next < attempts.count {
          requests.append(Self.request(attempts[next], next, 0))
          next += 1
        }
      }
      journal.submit(requests, sink: sink)
    }
    let wall = Double(clock.bootNanoseconds() - begin.wall) / 1e9
    let cpu = Double(Glibc.clock() - begin.cpu) / Double(CLOCKS_PER_SEC)
    let statistics = journal.statistics
    journal.close()
    print("\(attempts.count * 4) \(wall) \(cpu) \(statistics.commits) \(statistics.largestBatch)")
  }

  private static func request(_ rows: [Attempt], _ number: Int, _ version: Int) -> JournalRequest {
    let write = AttemptWrite(rows[version], "\(number)-000-\(version)", epoch: version == 0 ? nil : 1)
    return JournalRequest(id: UInt64(number), command: version == 0 ? .create(write) : .update(write))
  }
}
