// Every row of the transaction error table, with the codes and flags that librdkafka 2.0.2 was seen to give.

import Testing

@testable import WorkerEngine

struct TransactionErrorTableTests {
  private enum Flag {
    case none
    case fatal
    case retriable
    case abort
  }

  private func expect(
    _ calls: [TransactionCall], _ codes: [String], _ flag: Flag, _ action: TransactionAction,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for call in calls {
      for code in codes {
        let error = TransactionError(
          code: code, message: "", isFatal: flag == .fatal, isRetriable: flag == .retriable,
          requiresAbort: flag == .abort
        )
        #expect(
          TransactionErrorTable.action(after: error, in: call) == action, "\(call) \(code) \(flag)",
          sourceLocation: sourceLocation)
      }
    }
  }

  private let blocking: [TransactionCall] = [.initialise, .begin, .sendOffsets, .commit, .abort]

  @Test("our static identity used by another process stops the worker, whatever the call and the flags")
  func fencedInstance() {
    expect([.sendOffsets, .commit], ["FENCED_INSTANCE_ID"], .abort, .stopFenced)
    expect(blocking, ["FENCED_INSTANCE_ID"], .fatal, .stopFenced)
  }

  @Test("what only a person can put right stops the worker, fatal or not")
  func environment() {
    let codes = ["TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED"]
    expect(blocking, codes, .fatal, .stopEnvironment)
    expect([.sendOffsets, .commit], codes, .abort, .stopEnvironment)
    expect([.initialise], ["_UNSUPPORTED_FEATURE", "INVALID_TRANSACTION_TIMEOUT"], .none, .stopEnvironment)
    expect([.sendOffsets], ["OFFSET_METADATA_TOO_LARGE"], .abort, .stopEnvironment)
    expect([.produce, .delivery], ["_UNKNOWN_TOPIC", "UNKNOWN_TOPIC_OR_PART"], .none, .stopEnvironment)
  }

  @Test("a missing topic during commit may be made meanwhile: the transaction is repeated")
  func missingTopicInCommit() {
    expect([.sendOffsets, .commit], ["UNKNOWN_TOPIC_OR_PART"], .abort, .abortAndRepeat)
  }

  @Test("an owner that was fenced needs new clients")
  func fenced() {
    expect(blocking + [.produce], ["_FENCED"], .fatal, .rebuild(wasFenced: true))
    expect(blocking, ["PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"], .abort, .rebuild(wasFenced: true))
  }

  @Test("any other fatal error needs new clients as well, also an abort that the broker no longer understands")
  func fatal() {
    expect([.abort], ["INVALID_TXN_STATE"], .fatal, .rebuild(wasFenced: false))
    expect([.produce], ["_FATAL"], .none, .rebuild(wasFenced: false))
    expect(blocking, ["_INCONSISTENT"], .fatal, .rebuild(wasFenced: false))
  }

  @Test("a conflict is resolved by the call that has not ended, which is the same one")
  func conflict() {
    expect(blocking, ["_CONFLICT"], .retriable, .sameCallAgain)
    expect(blocking, ["_CONFLICT"], .none, .sameCallAgain)
  }

  @Test("a group that has moved on: abort, and the job is the next owner's")
  func groupMoved() {
    expect([.sendOffsets], ["UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION"], .abort, .abortAndDrop)
    expect([.commit], ["ILLEGAL_GENERATION"], .abort, .abortAndDrop)
  }

  @Test("an output that is too large is refused alone")
  func tooLarge() {
    expect([.produce, .delivery], ["MSG_SIZE_TOO_LARGE", "INVALID_RECORD"], .none, .abortAndRefuse)
  }

  @Test("no answer to the offsets: the same call; no delivery in time: the whole transaction")
  func offsets() {
    expect([.sendOffsets], ["_TRANSPORT", "_TIMED_OUT"], .retriable, .sameCallAgain)
    expect([.sendOffsets], ["_STATE", "_MSG_TIMED_OUT", "_TIMED_OUT"], .abort, .abortAndRepeat)
    expect([.sendOffsets], ["_STATE"], .none, .abortAndRepeat)
  }

  @Test("commit and abort without an answer: the same call and no other")
  func noAnswer() {
    expect([.commit, .abort, .initialise], ["_TIMED_OUT", "_TRANSPORT"], .retriable, .sameCallAgain)
    expect([.commit], ["_MSG_TIMED_OUT", "_TIMED_OUT", "_INCONSISTENT"], .abort, .abortAndRepeat)
  }

  @Test("produce: a full queue is no error here, anything unforeseen repeats the transaction")
  func produce() {
    expect([.produce], ["_STATE", "_PURGE_QUEUE"], .none, .abortAndRepeat)
    expect([.delivery], ["_MSG_TIMED_OUT", "_PURGE_INFLIGHT"], .none, .abortAndRepeat)
  }

  @Test("an unforeseen error leaves the outcome unknown: new clients find it out; only the first step is harmless")
  func unforeseen() {
    expect([.begin, .commit, .abort], ["UNKNOWN", "_STATE"], .none, .rebuild(wasFenced: false))
    expect([.initialise], ["UNKNOWN", "CONCURRENT_TRANSACTIONS"], .none, .sameCallAgain)
  }

  @Test("only missing answers count as an outage")
  func outage() {
    let codes = ["_TIMED_OUT", "_MSG_TIMED_OUT", "_TRANSPORT", "MSG_SIZE_TOO_LARGE", "_STATE", "INVALID_RECORD"]
    let outages = codes.filter { TransactionErrorTable.isOutage(TransactionError(code: $0, message: "")) }
    #expect(outages == ["_TIMED_OUT", "_MSG_TIMED_OUT", "_TRANSPORT"])
  }
}
