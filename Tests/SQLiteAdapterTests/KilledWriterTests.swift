// Durability as another process sees it: writers are killed with SIGKILL, and nothing acknowledged is missing.

import CheckoutCore
import Foundation
import JournalSamples
import SQLiteAdapter
import Testing

@Suite(.serialized) struct KilledWriterTests {
  @Test("after kill -9 every acknowledged write is there, five times over one file")
  func killed() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    var acknowledged: [String: Int64] = [:]
    for round in 0..<5 {
      let writer = try Hammer(["write", path, "round\(round)"])
      let lines = writer.readLines(atLeast: 200 + 37 * round)
      writer.kill()
      let all = lines + writer.rest()
      #expect(all.count >= 200)
      for line in all {
        let parts = line.split(separator: " ")
        let version = try #require(parts.count == 2 ? Int64(parts[1]) : nil, "a line was: \(line)")
        acknowledged[String(parts[0])] = max(acknowledged[String(parts[0])] ?? 0, version)
      }
      let reader = try SQLiteJournalReader(path: path) { Timestamp(nanoseconds: 0) }
      for (key, version) in acknowledged {
        let id = AttemptID(merchantID: "shop-eu", idempotencyKey: key)
        let row = try #require(try reader.attempt(id))
        #expect(row.attempt.version >= version)
        #expect(try reader.history(of: id).map(\.version) == Array(1...row.attempt.version))
      }
    }
  }

  @Test("two processes write one file at once: no lock shows, nothing is missing")
  func together() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let writers = try ["left", "right"].map { try Hammer(["write", path, $0, "400"]) }
    let lines = writers.map { $0.readLines(atLeast: .max) }
    #expect(lines.map(\.count) == [1600, 1600])
    #expect(writers.map { $0.waitForExit() } == [0, 0])
    let reader = try SQLiteJournalReader(path: path) { Timestamp(nanoseconds: 0) }
    let counts = try reader.counts()
    #expect([counts.attempts, counts.open, counts.parked, counts.watched] == [800, 0, 0, 0])
  }
}
