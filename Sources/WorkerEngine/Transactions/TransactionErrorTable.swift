// What to do about an error inside a transaction: one table, read from the top, the first row that fits decides.
//
//   call                      error                                      then
//   any                       FENCED_INSTANCE_ID                         stop: somebody else has our static identity
//   any                       no permission, not supported               stop: a person has to act
//   produce, delivery         no such topic                              stop: a person has to act
//   send_offsets              OFFSET_METADATA_TOO_LARGE                  stop: a person has to act
//   any                       _FENCED and its kin                        rebuild (fenced)
//   any                       fatal; produce: _FATAL                     rebuild
//   any                       _CONFLICT                                  the same call again: only ours can be unfinished
//   send_offsets, commit      UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, …   abort, drop the job
//   produce, delivery         MSG_SIZE_TOO_LARGE and its kin             abort, refuse that output
//   begin … commit            needs an abort                             abort, repeat the whole job
//   all but produce           retriable                                  the same call again, only that one
//   produce, delivery, offsets anything else                             abort, repeat the whole job
//   initialise                anything else                              the same call again
//   begin, commit, abort      anything else                              rebuild: the outcome is unknown

/// A step of a transaction that can fail.
package enum TransactionCall: String, Hashable, CaseIterable, Sendable {
  /// `init_transactions`: once for each producer; frees what an earlier owner of the id left open.
  case initialise
  /// Opens a transaction.
  case begin
  /// Handing one output to the library.
  case produce
  /// What the broker said of one output.
  case delivery
  /// `send_offsets_to_transaction`.
  case sendOffsets
  /// Makes outputs and offsets visible together.
  case commit
  /// Takes everything back.
  case abort
}

/// An error of one of these calls, with the three flags that the library gives it.
package struct TransactionError: Error, Hashable, Sendable {
  /// The library's name of the code, for example `_TIMED_OUT`.
  package let code: String
  /// One line for people.
  package let message: String
  /// The producer is of no more use.
  package var isFatal = false
  /// The same call may succeed.
  package var isRetriable = false
  /// The transaction can only be aborted.
  package var requiresAbort = false

  package init(
    code: String, message: String, isFatal: Bool = false, isRetriable: Bool = false, requiresAbort: Bool = false
  ) {
    self.code = code
    self.message = message
    self.isFatal = isFatal
    self.isRetriable = isRetriable
    self.requiresAbort = requiresAbort
  }
}

/// What to do after an error.
enum TransactionAction: Hashable, Sendable {
  case sameCallAgain
  case abortAndRepeat
  case abortAndDrop
  /// The output concerned is refused for its own sake.
  case abortAndRefuse
  /// New clients: nothing of this producer can be trusted any more.
  case rebuild(wasFenced: Bool)
  case stopFenced
  case stopEnvironment
}

/// The table.
enum TransactionErrorTable {
  private enum Flag {
    case any
    case fatal
    case retriable
    case requiresAbort
  }

  private struct Row {
    let calls: Set<TransactionCall>
    let codes: Set<String>?
    let flag: Flag
    let action: TransactionAction

    init(
      _ calls: Set<TransactionCall>, codes: Set<String>? = nil, flag: Flag = .any, then action: TransactionAction
    ) {
      self.calls = calls
      self.codes = codes
      self.flag = flag
      self.action = action
    }

    func fits(_ call: TransactionCall, _ error: TransactionError) -> Bool {
      guard calls.contains(call), codes?.contains(error.code) ?? true else { return false }
      switch flag {
      case .any: return true
      case .fatal: return error.isFatal
      case .retriable: return error.isRetriable
      case .requiresAbort: return error.requiresAbort
      }
    }
  }

  private static let any = Set(TransactionCall.allCases)
  private static let hopeless: Set<String> = [
    "TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "UNSUPPORTED_VERSION", "_UNSUPPORTED_FEATURE",
    "INVALID_TRANSACTION_TIMEOUT", "INVALID_GROUP_ID", "UNSUPPORTED_FOR_MESSAGE_FORMAT", "_INVALID_ARG",
  ]
  private static let topicMissing: Set<String> = [
    "UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "TOPIC_EXCEPTION",
  ]
  private static let fencing: Set<String> = ["_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"]
  private static let groupMoved: Set<String> = [
    "UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "_ASSIGNMENT_LOST",
  ]
  private static let messageRefused: Set<String> = [
    "MSG_SIZE_TOO_LARGE", "INVALID_MSG", "INVALID_MSG_SIZE", "INVALID_RECORD", "RECORD_LIST_TOO_LARGE",
    "INVALID_TIMESTAMP",
  ]
  private static let outage: Set<String> = [
    "_TIMED_OUT", "_MSG_TIMED_OUT", "_TIMED_OUT_QUEUE", "_TRANSPORT", "_ALL_BROKERS_DOWN", "_WAIT_COORD",
    "REQUEST_TIMED_OUT", "NETWORK_EXCEPTION",
  ]

  private static let rows = [
    Row(any, codes: ["FENCED_INSTANCE_ID"], then: .stopFenced),
    Row(any, codes: hopeless, then: .stopEnvironment),
    Row([.produce, .delivery], codes: topicMissing, then: .stopEnvironment),
    Row([.sendOffsets], codes: ["OFFSET_METADATA_TOO_LARGE"], then: .stopEnvironment),
    Row(any, codes: fencing, then: .rebuild(wasFenced: true)),
    Row(any, flag: .fatal, then: .rebuild(wasFenced: false)),
    Row([.produce], codes: ["_FATAL"], then: .rebuild(wasFenced: false)),
    Row(any, codes: ["_CONFLICT"], then: .sameCallAgain),
    Row([.sendOffsets, .commit], codes: groupMoved, then: .abortAndDrop),
    Row([.produce, .delivery], codes: messageRefused, then: .abortAndRefuse),
    Row([.begin, .produce, .sendOffsets, .commit], flag: .requiresAbort, then: .abortAndRepeat),
    Row([.initialise, .begin, .sendOffsets, .commit, .abort], flag: .retriable, then: .sameCallAgain),
    Row([.produce, .delivery, .sendOffsets], then: .abortAndRepeat),
    Row([.initialise], then: .sameCallAgain),
  ]

  /// What to do after `error` in `call`.
  static func action(after error: TransactionError, in call: TransactionCall) -> TransactionAction {
    rows.first { $0.fits(call, error) }?.action ?? .rebuild(wasFenced: false)
  }

  /// True if nobody answered in time: repeating the same job is no fault then, however often it takes.
  static func isOutage(_ error: TransactionError) -> Bool { outage.contains(error.code) }
}
