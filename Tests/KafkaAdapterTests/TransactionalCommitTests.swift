// The transactional commit driven by scripted answers: which calls follow from which, and how the job ends.

import Testing
import WorkerEngine

@testable import KafkaAdapter

/// Answers from a script and writes down what was called.
private final class ScriptedClient: TransactionClient {
  /// Answers to each call in turn; when they are used up, the call succeeds.
  var answers: [TransactionCall: [TransactionError?]] = [:]
  /// Delivery errors to be reported once, by output index.
  var deliveryErrors: [(index: Int, error: TransactionError)] = []
  var fullQueueTimes = 0
  /// Run at each pause.
  var onPause: () -> Void = {}
  /// Run when offsets are sent.
  var onSendOffsets: () -> Void = {}
  private(set) var calls: [String] = []
  private var batches: UInt = 0

  private func answer(_ call: TransactionCall, _ name: String) -> TransactionError? {
    calls.append(name)
    guard let left = answers[call], !left.isEmpty else { return nil }
    answers[call] = Array(left.dropFirst())
    return left[0]
  }

  func initialise(limitMilliseconds: Int32) -> TransactionError? { answer(.initialise, "init") }
  func begin() -> TransactionError? { answer(.begin, "begin") }
  func open(_ outputs: [Output]) -> UInt {
    batches += 1
    return batches
  }
  func produce(_ outputs: [Output], index: Int, batch: UInt) -> ProduceFailure? {
    if fullQueueTimes > 0 {
      fullQueueTimes -= 1
      return .full
    }
    return answer(.produce, "produce \(index)").map { .failed($0) }
  }
  func sendOffsets(_ states: [PartitionState], of membership: String, limitMilliseconds: Int32) -> TransactionError? {
    onSendOffsets()
    let offsets = states.map { "\($0.partition.partition)@\($0.offset)\($0.metadata)" }.joined(separator: " ")
    return answer(.sendOffsets, "offsets \(offsets) of \(membership)")
  }
  func commit(limitMilliseconds: Int32) -> TransactionError? { answer(.commit, "commit") }
  func abort(limitMilliseconds: Int32) -> TransactionError? { answer(.abort, "abort") }
  func outstanding(batch: UInt) -> Int { 0 }
  func takeDeliveryErrors(batch: UInt) -> [(index: Int, error: TransactionError)] {
    defer { deliveryErrors = [] }
    return deliveryErrors
  }
  func pause(nanoseconds: Int64) {
    calls.append("pause")
    onPause()
  }
  func log(_ text: String) {}
}

struct TransactionalCommitTests {
  private let client = ScriptedClient()
  private let gate = CommitGate()

  init() { gate.open(generation: 1, membership: nil) }

  private func run(outputs: Int = 2) -> CommitOutcome {
    let job = CommitJob(
      id: 9, generation: 1,
      outputs: (0..<outputs).map { Output(topic: "out", key: nil, value: Bytes("\($0)"), headers: []) },
      offsets: [PartitionCommit(partition: TopicPartition(topic: "in", partition: 3), offset: 40, metadata: "m")])
    var commit = TransactionalCommit(client: client) { [gate] generation in
      gate.admits(generation) ? "member" : nil
    }
    return commit.run(job, gate: gate)
  }

  private static func abortable(_ code: String) -> TransactionError {
    TransactionError(code: code, message: "m", requiresAbort: true)
  }
  private static func retriable(_ code: String) -> TransactionError {
    TransactionError(code: code, message: "m", isRetriable: true)
  }
  private static func fatal(_ code: String) -> TransactionError {
    TransactionError(code: code, message: "m", isFatal: true)
  }

  private let whole = ["begin", "produce 0", "produce 1", "offsets 3@40m of member", "commit"]

  @Test("outputs, offsets with their metadata under the assignment's membership, commit: in this order")
  func order() {
    #expect(run() == .ended(.committed))
    #expect(client.calls == whole)
  }

  @Test("commit without an answer is the same call again, not another one")
  func commitTimesOut() {
    client.answers[.commit] = [Self.retriable("_TIMED_OUT"), Self.retriable("_CONFLICT")]
    #expect(run() == .ended(.committed))
    #expect(client.calls == whole + ["pause", "commit", "pause", "commit"])
  }

  @Test("offsets without an answer are sent again; partitions lost meanwhile: abort and drop")
  func offsetsTimeOut() {
    client.answers[.sendOffsets] = [Self.retriable("_TRANSPORT")]
    #expect(run() == .ended(.committed))
    client.answers[.sendOffsets] = [Self.retriable("_TRANSPORT")]
    client.onPause = { [gate] in gate.shut() }
    #expect(run() == .ended(.dropped(detail: "the partitions were given back")))
    #expect(client.calls.suffix(3) == ["offsets 3@40m of member", "pause", "abort"])
  }

  @Test("partitions taken away after the offsets were accepted: the commit goes on")
  func lostAfterOffsets() {
    client.onSendOffsets = { [gate] in gate.shut() }
    client.answers[.commit] = [Self.retriable("_TIMED_OUT")]
    #expect(run() == .ended(.committed))
    #expect(client.calls == whole + ["pause", "commit"])
  }

  @Test("an assignment that is over begins nothing")
  func overBefore() {
    gate.shut()
    #expect(run() == .ended(.dropped(detail: "the partitions were given back")))
    #expect(client.calls.isEmpty)
  }

  @Test("a group that has moved on: abort, drop, and the producer stays usable")
  func generationFenced() {
    client.answers[.sendOffsets] = [Self.abortable("ILLEGAL_GENERATION")]
    #expect(run() == .ended(.dropped(detail: "m")))
    #expect(client.calls.last == "abort")
    #expect(run() == .ended(.committed))
  }

  @Test("messages that timed out: abort, the same call of abort again if it times out, then everything once more")
  func repeatsWhole() {
    client.answers[.sendOffsets] = [Self.abortable("_STATE")]
    client.answers[.abort] = [Self.retriable("_TIMED_OUT")]
    #expect(run() == .ended(.committed))
    #expect(client.calls == Array(whole.dropLast()) + ["abort", "pause", "abort", "pause"] + whole)
  }

  @Test("an outage may last: nothing is given up for missing answers")
  func outageIsPatient() {
    client.answers[.commit] = Array(repeating: Self.abortable("_MSG_TIMED_OUT"), count: 50)
    #expect(run() == .ended(.committed))
    #expect(client.calls.count { $0 == "commit" } == 51)
  }

  @Test("the same batch is repeated three times, then a person has to look")
  func repeatsAreBounded() {
    client.answers[.commit] = Array(repeating: Self.abortable("UNKNOWN"), count: 50)
    guard case .failed(let failure) = run() else {
      Issue.record("did not give up")
      return
    }
    #expect(failure.kind == .environment)
    #expect(failure.message.hasPrefix("the same transaction was aborted 4 times; the last reason: m"))
    #expect(client.calls.count { $0 == "commit" } == 4)
  }

  @Test("an output that the library refuses is named; nothing was committed")
  func refusedAtOnce() {
    client.answers[.produce] = [nil, TransactionError(code: "MSG_SIZE_TOO_LARGE", message: "too large")]
    #expect(run() == .ended(.refused(output: 1, detail: "too large")))
    #expect(client.calls == ["begin", "produce 0", "produce 1", "abort"])
  }

  @Test("the broker refuses a request as a whole: each output alone shows which one it was")
  func refusedByBroker() {
    client.answers[.commit] = [Self.abortable("MSG_SIZE_TOO_LARGE")]
    let tooLarge = TransactionError(code: "MSG_SIZE_TOO_LARGE", message: "too large")
    client.deliveryErrors = [(0, tooLarge), (1, tooLarge)]
    client.onPause = { [client] in
      client.answers[.produce] = [nil, Self.abortable("_STATE")]
      client.deliveryErrors = [(1, tooLarge)]
    }
    #expect(run() == .ended(.refused(output: 1, detail: "too large")))
    #expect(client.calls == whole + ["abort", "pause", "begin", "produce 0", "produce 1", "abort"])
  }

  @Test("a full local queue is waited for, not dropped")
  func fullQueue() {
    client.fullQueueTimes = 2
    #expect(run() == .ended(.committed))
    #expect(client.calls == ["begin", "pause", "pause"] + whole.dropFirst())
  }

  @Test(
    "fatal errors break the producer at each call, and say whether it was fenced",
    arguments: [TransactionCall.begin, .produce, .sendOffsets, .commit])
  func fatalBreaks(_ call: TransactionCall) {
    client.answers[call] = [Self.fatal("_FENCED"), nil]
    #expect(run() == .broken(wasFenced: true, detail: "\(call.rawValue): m"))
    client.answers[call] = [Self.fatal("_INCONSISTENT"), nil]
    #expect(run() == .broken(wasFenced: false, detail: "\(call.rawValue): m"))
    #expect(!client.calls.contains("abort"))
  }

  @Test("an abort that the broker no longer understands breaks the producer")
  func abortBreaks() {
    client.answers[.commit] = [Self.abortable("_MSG_TIMED_OUT")]
    client.answers[.abort] = [Self.fatal("INVALID_TXN_STATE")]
    #expect(run() == .broken(wasFenced: false, detail: "abort: m"))
  }

  @Test("our static identity in use elsewhere stops at once")
  func staticIdentity() {
    client.answers[.sendOffsets] = [Self.abortable("FENCED_INSTANCE_ID")]
    guard case .failed(let failure) = run() else {
      Issue.record("did not stop")
      return
    }
    #expect(failure.kind == .fenced)
    #expect(failure.message.contains("group.instance.id"))
  }

  @Test("a commit that cannot be told when the worker ends is left as it is; an open transaction is aborted once")
  func closing() {
    client.onPause = { [gate] in gate.close() }
    client.answers[.commit] = Array(repeating: Self.retriable("_TIMED_OUT"), count: 9)
    #expect(run() == .abandoned)
    #expect(client.calls == whole + ["pause"])
  }

  @Test("a worker that ends while its offsets get no answer aborts once and leaves")
  func closingInside() {
    client.onPause = { [gate] in gate.close() }
    client.answers[.sendOffsets] = Array(repeating: Self.retriable("_TIMED_OUT"), count: 9)
    client.answers[.abort] = Array(repeating: Self.retriable("_TIMED_OUT"), count: 9)
    #expect(run() == .abandoned)
    #expect(client.calls == Array(whole.dropLast()) + ["pause", "abort"])
  }

  @Test("taking the transactional id over is repeated until it succeeds or the worker ends")
  func initialises() {
    var commit = TransactionalCommit(client: client) { _ in "member" }
    client.answers[.initialise] = [
      Self.retriable("_TIMED_OUT"), TransactionError(code: "CONCURRENT_TRANSACTIONS", message: "m"),
    ]
    #expect(commit.prepare(gate: gate) == nil)
    #expect(client.calls == ["init", "pause", "init", "pause", "init"])
    client.answers[.initialise] = Array(repeating: Self.retriable("_TIMED_OUT"), count: 9)
    client.onPause = { [gate] in gate.close() }
    #expect(commit.prepare(gate: gate) == .abandoned)
    client.answers[.initialise] = [Self.fatal("UNSUPPORTED_VERSION")]
    guard case .failed(let failure)? = commit.prepare(gate: gate) else {
      Issue.record("a broker without transactions was accepted")
      return
    }
    #expect(failure.message == "initialise: m; if the broker has no transactions, use --delivery at-least-once")
  }
}

struct GroupMembershipTests {
  @Test("the generation is read, and none is told from some", arguments: [-1, 0, 7, 2_000_000] as [Int32])
  func generation(_ number: Int32) {
    #expect(GroupMembershipHandle(group: "g", generation: number, member: "m")?.generation == number)
  }
}
