// One journal of each kind, with a clock that the test moves, and a way to ask and wait for the answers.

import CheckoutCore
import CheckoutSimulation
import JournalQueue
import JournalSamples
import PostgresAdapter
import PostgresServer
import SQLiteAdapter
import Synchronization

/// The implementations that must behave alike.
enum JournalKind: String, CaseIterable, Sendable {
  case inMemory
  case sqlite
  case postgres
}

/// Where a journal under test gets its time from.
final class MovableClock: Sendable {
  private let time: Mutex<Timestamp>

  init(_ time: Timestamp = SampleAttempts.start) {
    self.time = Mutex(time)
  }

  var now: Timestamp { time.withLock { $0 } }

  func move(by span: TimeSpan) {
    time.withLock { $0 = $0 + span }
  }
}

/// The reference keeps everything for ever.
private struct NotDurable: Error {}

/// A journal, its clock, and its folder if it has one.
final class JournalUnderTest: Sendable {
  let journal: any Journal
  let clock = MovableClock()
  private let folder: TemporaryFolder?
  /// Opens the journal for a purge.
  let purgeable: @Sendable () throws -> any PurgeableJournal

  init(_ kind: JournalKind) throws {
    let clock = clock
    switch kind {
    case .inMemory:
      folder = nil
      journal = InMemoryJournal(id: "journal-under-test") { clock.now }
      purgeable = { throw NotDurable() }
    case .sqlite:
      let folder = try TemporaryFolder()
      self.folder = folder
      let path = folder.path("journal.db")
      purgeable = { try SQLitePurge(path: path) { clock.now } }
      journal = try SQLiteJournal(
        path: path, missing: .create,
        time: JournalTimeSource(wall: { clock.now }, boot: nil))
    case .postgres:
      folder = nil
      let location = try PostgresLocation(try TestServer.sharedServer().emptySchema())
      _ = try PostgresSchema.migrate(location)
      purgeable = { try PostgresPurge(location) }
      journal = try PostgresJournal(location, time: JournalTimeSource(wall: { clock.now }, boot: nil))
    }
  }

  deinit {
    (journal as? any HostedJournal)?.close()
  }

  /// Submits all commands at once and waits for all answers, in the order of the commands.
  func ask(_ commands: [JournalCommand]) async -> [JournalReply] {
    await withCheckedContinuation { continuation in
      let requests = commands.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }
      let box = ReplyBox(expected: requests.count) { continuation.resume(returning: $0) }
      journal.submit(requests) { box.take($0) }
    }
  }

  /// The result of one command.
  func ask(_ command: JournalCommand) async -> JournalResult? {
    await ask([command]).first?.result
  }

  /// The row as the journal has it.
  func row(_ attempt: Attempt) async -> Attempt? {
    guard case .found(let view)? = await ask(.find(attempt.identity.attemptID)) else { return nil }
    return view?.attempt
  }
}

/// Collects answers until all are there.
private final class ReplyBox: Sendable {
  private let replies = Mutex<[UInt64: JournalReply]>([:])
  private let expected: Int
  private let done: @Sendable ([JournalReply]) -> Void

  init(expected: Int, done: @escaping @Sendable ([JournalReply]) -> Void) {
    self.expected = expected
    self.done = done
  }

  func take(_ new: [JournalReply]) {
    let all = replies.withLock { replies -> [JournalReply]? in
      for reply in new { replies[reply.id] = reply }
      return replies.count == expected ? replies.values.sorted { $0.id < $1.id } : nil
    }
    if let all { done(all) }
  }
}
