// A process that writes to a SQLite journal until it is killed, and says which writes were acknowledged; or measures.
//
// JournalHammer write PATH PREFIX [ATTEMPTS]   prints "KEY VERSION" for each acknowledged write
// JournalHammer measure PATH BATCH COUNT       prints transitions per second, codec included

import CheckoutCore
import Foundation
import JournalSamples
import Operations
import SQLiteAdapter
import Synchronization

/// Answers of the journal, collected for the one thread that waits.
private final class Answers: Sendable {
  private let bell = Doorbell()
  private let waiting = Mutex<[JournalReply]>([])

  func put(_ replies: [JournalReply]) {
    waiting.withLock { $0 += replies }
    bell.ring()
  }

  /// Waits for `count` answers.
  func take(_ count: Int) -> [JournalReply] {
    var all: [JournalReply] = []
    while all.count < count {
      let new = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      if new.isEmpty { bell.wait() }
      all += new
    }
    return all
  }
}

private func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

private func open(_ path: String) throws -> SQLiteJournal {
  let clock = SystemClock()
  return try SQLiteJournal(
    path: path, missing: .create,
    time: JournalTimeSource(
      wall: { Timestamp(nanoseconds: clock.wallNanoseconds()) },
      boot: { BootTime(nanoseconds: clock.bootNanoseconds()) }))
}

/// The four states of a checkout on a good day.
private func transitions(of attempt: Attempt) -> [Attempt] {
  let charging = attempt.next { $0.state = .charging }
  let receipting = charging.next { $0.state = .receipting }
  return [attempt, charging, receipting, receipting.next { $0.state = .completed }]
}

private func write(path: String, prefix: String, attempts: Int) throws {
  let journal = try open(path)
  let answers = Answers()
  var number = 0
  while number < attempts {
    let rows = (0..<20).compactMap { offset in
      SampleAttempts.new("\(prefix)-key-\(number + offset)-00000000", checkout: "\(prefix)-\(number + offset)")
    }.map(transitions(of:))
    number += rows.count
    for version in 0..<4 {
      let requests = rows.enumerated().map { index, row in
        let write = AttemptWrite(row[version], "\(prefix)-\(number)-\(index)-\(version)")
        return JournalRequest(id: UInt64(index), command: version == 0 ? .create(write) : .update(write))
      }
      journal.submit(requests) { answers.put($0) }
      for reply in answers.take(rows.count) {
        guard reply.result == .written else {
          say("NOT WRITTEN \(reply.result)")
          exit(1)
        }
        say("\(rows[Int(reply.id)][version].identity.idempotencyKey) \(version + 1)")
      }
    }
  }
  journal.close()
}

private func measure(path: String, batch: Int, count: Int) throws {
  let journal = try open(path)
  let answers = Answers()
  let clock = SystemClock()
  let begin = clock.bootNanoseconds()
  var done = 0
  while done < count {
    let rows = (0..<batch).compactMap { offset in
      SampleAttempts.new("key-\(done + offset)-0000000000000000", checkout: "chk-\(done + offset)")
    }.map(transitions(of:))
    for version in 0..<4 {
      let requests = rows.enumerated().map { index, row in
        let write = AttemptWrite(row[version], "\(done)-\(index)-\(version)")
        return JournalRequest(id: UInt64(index), command: version == 0 ? .create(write) : .update(write))
      }
      journal.submit(requests) { answers.put($0) }
      _ = answers.take(rows.count)
      done += rows.count
    }
  }
  let seconds = Double(clock.bootNanoseconds() - begin) / 1e9
  say("batch \(batch): \(Int(Double(done) / seconds)) transitions/s, \(journal.statistics.commits) commits")
  journal.close()
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "write" where arguments.count >= 4:
  try write(path: arguments[2], prefix: arguments[3], attempts: arguments.count > 4 ? Int(arguments[4]) ?? 0 : .max)
case "measure" where arguments.count == 5:
  try measure(path: arguments[2], batch: Int(arguments[3]) ?? 1, count: Int(arguments[4]) ?? 1000)
default:
  say("usage: JournalHammer write PATH PREFIX [ATTEMPTS] | measure PATH BATCH COUNT")
  exit(2)
}
