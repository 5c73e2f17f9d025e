// One connection in use: connect with a deadline, then transactions of several statements in one round trip.

import Operations

/// One statement of a transaction.
struct StatementCall {
  /// Name of the prepared statement.
  let statement: String
  let parameters: QueryParameters
}

/// A connected session. Used by one thread at a time.
final class PostgresSession {
  /// How long connecting to one host may take; libpq keeps no such limit itself when it must not block.
  private static let connectPatience = Duration.seconds(5)
  /// How long the server may say nothing before the connection is given up. Longer than its own statement_timeout. What was
  /// sent may be done all the same: the caller repeats it, and its write ids tell.
  static let replyPatience = Duration.seconds(30)
  private static let sliceMilliseconds: Int32 = 200

  private let handle: PostgresHandle
  private let isAbandoned: () -> Bool

  /// Connects to the first host of `location` that answers and takes writes. `isAbandoned` is asked now and then while it
  /// waits, here and later.
  init(_ location: PostgresLocation, isAbandoned: @escaping () -> Bool) throws(PostgresProblem) {
    self.isAbandoned = isAbandoned
    var problems: [PostgresProblem] = []
    for options in location.hosts {
      do throws(PostgresProblem) {
        handle = try Self.connect(options, isAbandoned)
        return
      } catch {
        problems.append(error)
      }
    }
    let mayPass = problems.contains { $0.kind == .lost }
    let words = problems.map(\.message).joined(separator: "; ")
    throw PostgresProblem(kind: mayPass ? .lost : .refused, state: "", message: words)
  }

  private static func connect(
    _ options: [ConnectionOption], _ isAbandoned: () -> Bool
  ) throws(PostgresProblem) -> PostgresHandle {
    let handle = try PostgresHandle(options)
    let end = ContinuousClock.now + connectPatience
    var step = PostgresHandle.ConnectStep.writable
    while true {
      switch step {
      case .done:
        guard handle.enterPipeline() else { throw PostgresProblem(kind: .lost, state: "", message: handle.message) }
        return handle
      case .failed: throw refusal(handle.message)
      case .readable: try wait(handle, .readable, until: end, isAbandoned)
      case .writable: try wait(handle, .writable, until: end, isAbandoned)
      }
      step = handle.connectStep()
    }
  }

  /// Prepares statements, by name.
  func prepare(_ statements: [(name: String, sql: String)]) throws(PostgresProblem) {
    for statement in statements where !handle.sendPrepare(statement.name, statement.sql) { throw lost() }
    _ = try finish(count: statements.count)
  }

  /// Carries the statements out as one transaction. On return it is committed; `.data` and `.busy`: nothing of it is done.
  func run(_ calls: [StatementCall]) throws(PostgresProblem) -> [PostgresResult] {
    for call in calls where !handle.send(call.statement, call.parameters) { throw lost() }
    return try finish(count: calls.count)
  }

  /// Carries SQL out, as one transaction; each text is one statement without parameters.
  @discardableResult
  func run(sql: [String]) throws(PostgresProblem) -> [PostgresResult] {
    for text in sql where !handle.send(sql: text) { throw lost() }
    return try finish(count: sql.count)
  }

  private func finish(count: Int) throws(PostgresProblem) -> [PostgresResult] {
    guard handle.sendSync() else { throw lost() }
    let end = ContinuousClock.now + Self.replyPatience
    while true {
      let left = handle.flush()
      if left == 0 { break }
      if left < 0 { throw lost() }
      try wait(.either, until: end)
      // The server may be answering already; unread answers would stop it from reading.
      guard handle.consumeInput() else { throw lost() }
    }
    return try collect(count: count, until: end)
  }

  private func collect(count: Int, until end: ContinuousClock.Instant) throws(PostgresProblem) -> [PostgresResult] {
    var results: [PostgresResult] = []
    results.reserveCapacity(count)
    var problem: PostgresProblem?
    while true {
      while handle.isBusy {
        try wait(.readable, until: end)
        guard handle.consumeInput() else { throw problem ?? lost() }
      }
      guard let result = handle.nextResult() else {
        if handle.isLost { throw problem?.kind == .data ? lost() : problem ?? lost() }
        continue
      }
      switch result.status {
      case .done: results.append(result)
      case .synced:
        if let problem { throw problem }
        return results
      case .aborted: break
      case .failed(let failure):
        problem = problem ?? failure
        if handle.isLost { throw PostgresProblem(kind: .lost, state: failure.state, message: failure.message) }
      }
    }
  }

  private func wait(_ readiness: SocketWait.Readiness, until end: ContinuousClock.Instant) throws(PostgresProblem) {
    try Self.wait(handle, readiness, until: end, isAbandoned)
  }

  private static func wait(
    _ handle: PostgresHandle, _ readiness: SocketWait.Readiness, until end: ContinuousClock.Instant,
    _ isAbandoned: () -> Bool
  ) throws(PostgresProblem) {
    while !SocketWait.wait(handle.socket, readiness, milliseconds: sliceMilliseconds) {
      if isAbandoned() { throw PostgresProblem(kind: .lost, state: "", message: "given up, the journal is closing") }
      if ContinuousClock.now >= end {
        throw PostgresProblem(kind: .lost, state: "", message: "the server has not answered in time")
      }
    }
  }

  private func lost() -> PostgresProblem {
    let words = handle.message
    return PostgresProblem(kind: .lost, state: "", message: words.isEmpty ? "the connection is lost" : words)
  }

  /// Why connecting failed. libpq gives words only; those of a server that is down or starting pass.
  private static func refusal(_ words: String) -> PostgresProblem {
    let lasting = [
      "authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry", "certificate",
      "does not support SSL", "is not permitted", "session is read-only", "could not translate host name", "root.crt",
      "definition of service",
    ]
    let passing = ["No such file or directory", "Temporary failure in name resolution"]
    let isLasting = lasting.contains { words.contains($0) } && !passing.contains { words.contains($0) }
    return PostgresProblem(kind: isLasting ? .refused : .lost, state: "", message: words)
  }
}
