// The one owner of a `PGconn *`. Nothing in it blocks: who calls waits on the socket. All calls on one thread at a time.

import CPostgres

/// A connection to a server, from the first attempt to connect; closed when the last reference goes.
// SAFETY: `@safe`: the pointer comes from PQconnectStartParams, belongs to this object alone and is finished only in `deinit`;
// texts and parameters live for the length of each call, because libpq copies what it keeps.
@safe final class PostgresHandle {
  /// What connecting waits for.
  enum ConnectStep {
    case readable
    case writable
    case done
    case failed
  }

  private let connection: OpaquePointer

  /// Begins to connect. Name resolution blocks, everything after it does not.
  init(_ options: [ConnectionOption]) throws(PostgresProblem) {
    let words = CStringList(options.map(\.keyword))
    let values = CStringList(options.map(\.value))
    let started = unsafe words.withPointers { words in
      unsafe values.withPointers { values in unsafe PQconnectStartParams(words, values, 0) }
    }
    guard let started = unsafe started else {
      throw PostgresProblem(kind: .lost, state: "", message: "out of memory")
    }
    unsafe connection = started
    // Without a receiver libpq prints what the server notes on standard error.
    unsafe PQsetNoticeReceiver(started, { _, _ in }, nil)
  }

  deinit {
    // SAFETY: made once, finished only here.
    unsafe PQfinish(connection)
  }

  /// Goes on connecting; call it again once the socket is ready for what it says.
  func connectStep() -> ConnectStep {
    switch unsafe PQconnectPoll(connection) {
    case PGRES_POLLING_OK: .done
    case PGRES_POLLING_READING: .readable
    case PGRES_POLLING_WRITING: .writable
    default: .failed
    }
  }

  /// The socket to wait on; -1: there is none. Changes while connecting.
  var socket: Int32 { unsafe PQsocket(connection) }

  /// True once the connection is gone for good.
  var isLost: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

  /// libpq's own words on the last failure, one line.
  var message: String {
    // SAFETY: the text is the connection's own and copied at once.
    guard let text = unsafe PQerrorMessage(connection) else { return "unknown error" }
    return unsafe String(cString: text).oneLine
  }

  /// From here on no call blocks, and statements go out without waiting for each other's results.
  func enterPipeline() -> Bool {
    unsafe PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
  }

  /// Queues the preparation of a statement.
  func sendPrepare(_ name: String, _ sql: String) -> Bool {
    unsafe PQsendPrepare(connection, name, sql, 0, nil) == 1
  }

  /// Queues a prepared statement; its results come in binary.
  func send(_ name: String, _ parameters: borrowing QueryParameters) -> Bool {
    unsafe parameters.withPointers { count, values, lengths, formats in
      unsafe PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
    }
  }

  /// Queues SQL without parameters; its results come in binary.
  func send(sql: String) -> Bool {
    unsafe PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1) == 1
  }

  /// Ends what was queued as one transaction.
  func sendSync() -> Bool { unsafe PQpipelineSync(connection) == 1 }

  /// Sends what is queued: 0 all is sent, 1 call again once the socket is writable, -1 failed.
  func flush() -> Int32 { unsafe PQflush(connection) }

  /// Reads what has arrived. False: failed.
  func consumeInput() -> Bool { unsafe PQconsumeInput(connection) == 1 }

  /// True while the next result has not arrived whole.
  var isBusy: Bool { unsafe PQisBusy(connection) == 1 }

  /// The next result; nil: the end of one statement's results.
  func nextResult() -> PostgresResult? {
    guard let result = unsafe PQgetResult(connection) else { return nil }
    return unsafe PostgresResult(result)
  }
}

extension String {
  /// The text in one line, without libpq's line breaks and the space around them.
  var oneLine: String {
    split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: " ")
  }
}
