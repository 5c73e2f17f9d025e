// Commits without transactions driven by scripted answers: what is sent again after a failure, and how the job ends.

import Testing
import WorkerEngine

@testable import KafkaAdapter

/// Takes outputs and reports on them as a test says.
private final class ScriptedDelivery: DeliveryClient {
  /// What each value is reported with when it comes for the first, second, … time; then it is delivered.
  var reports: [String: [KafkaError?]] = [:]
  /// Values that the library refuses at once.
  var refusedAtOnce: [String: KafkaError] = [:]
  var fullTimes = 0
  var answers: [OffsetAnswer] = []
  /// Run at each pause, before reports come in.
  var onPause: () -> Void = {}
  /// True: reports do not come.
  var withholdsReports = false
  private(set) var calls: [String] = []
  private(set) var retired: [UInt] = []
  private(set) var forgottenAnswers = 0
  /// True: offsets are asked for and no answer comes.
  var withholdsAnswers = false
  private var batches: [UInt: (waiting: Int, failures: [(index: Int, error: KafkaError)])] = [:]
  private var last: UInt = 1_000
  private var isAsked = false

  func adopt(_ batch: UInt?, _ outputs: [Output], sent: Int) -> UInt {
    let number = batch ?? makeNumber()
    batches[number] = (0, [])
    for index in 0..<min(sent, outputs.count) { note(outputs[index], index, number) }
    return number
  }

  func open(_ outputs: [Output]) -> UInt {
    let number = makeNumber()
    batches[number] = (0, [])
    calls.append("again")
    return number
  }

  private func makeNumber() -> UInt {
    last += 1
    return last
  }

  private func note(_ output: Output, _ index: Int, _ batch: UInt) {
    let value = text(output)
    var left = reports[value] ?? []
    if let error = left.isEmpty ? nil : left.removeFirst() { batches[batch]?.failures.append((index, error)) }
    reports[value] = left
    batches[batch]?.waiting += 1
  }

  func enqueue(_ outputs: [Output], _ indices: Range<Int>, batch: UInt) -> (queued: Int, stop: EnqueueProblem?) {
    var queued = 0
    for index in indices {
      if fullTimes > 0 {
        fullTimes -= 1
        return (queued, .full)
      }
      if let error = refusedAtOnce[text(outputs[index])] { return (queued, .failed(error)) }
      calls.append(text(outputs[index]))
      note(outputs[index], index, batch)
      queued += 1
    }
    return (queued, nil)
  }

  func outstanding(batch: UInt) -> Int { batches[batch]?.waiting ?? 0 }

  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] {
    defer { batches[batch]?.failures = [] }
    return batches[batch]?.failures ?? []
  }

  func retire(_ batch: UInt) { retired.append(batch) }

  func pause(nanoseconds: Int64) {
    onPause()
    if !withholdsReports { for batch in batches.keys { batches[batch]?.waiting = 0 } }
  }

  func ask(_ states: [PartitionState]) -> KafkaError? {
    calls.append("offsets " + states.map { "\($0.offset)\($0.metadata)" }.joined(separator: " "))
    isAsked = true
    return nil
  }

  func answer() -> OffsetAnswer? {
    guard isAsked, !withholdsAnswers else { return nil }
    isAsked = false
    return answers.isEmpty ? .committed : answers.removeFirst()
  }

  func forgetAnswer() { forgottenAnswers += 1 }

  func log(_ text: String) {}
}

/// A value is its key, a dot and anything; without a dot there is no key.
private func text(_ output: Output) -> String { String(decoding: output.value?.array ?? [], as: UTF8.self) }

private func output(_ value: String) -> Output {
  let parts = value.split(separator: ".")
  return Output(
    topic: "out", key: parts.count > 1 ? Bytes(String(parts[0])) : nil, value: Bytes(value), headers: [])
}

private let tooLarge = KafkaError(code: "MSG_SIZE_TOO_LARGE", reaction: .messageRefused, message: "too large")
private let timedOut = KafkaError(code: "_MSG_TIMED_OUT", reaction: .retry, message: "timed out")

struct AtLeastOnceCommitTests {
  private let client = ScriptedDelivery()
  private let ahead = SentAhead()
  private let gate = CommitGate()
  private let offsets = "offsets 40m"

  init() { gate.open(generation: 1, membership: nil) }

  /// The first `sent` outputs leave ahead.
  private func sendAhead(_ count: Int, of batch: Int, sent: Int) {
    guard ahead.begin(batch: batch, generation: 1, count: count, makeNumber: { UInt(batch) }) != nil else { return }
    ahead.sent(sent, batch: batch, generation: 1)
  }

  private func job(_ batch: Int, _ values: [String]) -> CommitJob {
    CommitJob(
      id: batch, generation: 1, batch: batch, outputs: values.map(output),
      offsets: [PartitionCommit(partition: TopicPartition(topic: "in", partition: 3), offset: 40, metadata: "m")])
  }

  private func run(_ values: [String], sent: Int) -> CommitOutcome {
    sendAhead(values.count, of: 1, sent: sent)
    var commit = AtLeastOnceCommit(client: client, ahead: ahead)
    return commit.run(job(1, values), gate: gate)
  }

  @Test("what has left ahead is not sent again, the rest is, then the offsets follow")
  func restThenOffsets() {
    #expect(run(["a.1", "b.1", "c.1"], sent: 2) == .ended(.committed))
    #expect(client.calls == ["c.1", offsets])
    #expect(client.retired == [1])
  }

  @Test("a job whose outputs were offered to nobody sends all")
  func nothingAhead() {
    var commit = AtLeastOnceCommit(client: client, ahead: ahead)
    #expect(commit.run(job(0, ["a.1", "b.1"]), gate: gate) == .ended(.committed))
    #expect(client.calls == ["a.1", "b.1", offsets])
  }

  @Test("a full queue is waited for, not dropped")
  func fullQueue() {
    client.fullTimes = 2
    #expect(run(["a.1", "b.1"], sent: 1) == .ended(.committed))
    #expect(client.calls == ["b.1", offsets])
  }

  @Test("an output that left ahead and was not delivered comes again, with what followed it under its key, in order")
  func failedComesAgain() {
    client.reports["a.1"] = [timedOut]
    #expect(run(["a.0", "a.1", "b.1", "a.2", "c", "a.3"], sent: 5) == .ended(.committed))
    #expect(client.calls == ["a.3", "again", "a.1", "a.2", "a.3", offsets])
  }

  @Test("an outage may last: nothing is given up, and offsets wait")
  func outageIsPatient() {
    client.reports["a.1"] = Array(repeating: timedOut, count: 20)
    #expect(run(["a.1", "b.1"], sent: 2) == .ended(.committed))
    #expect(client.calls.count { $0 == "a.1" } == 20)
    #expect(client.calls.count { $0 == "b.1" } == 0)
    #expect(client.calls.last == offsets)
  }

  @Test("a request refused as a whole: each output alone shows which one it was; the others are delivered")
  func refusedByBroker() {
    client.reports["a.1"] = [tooLarge]
    client.reports["b.1"] = [tooLarge, tooLarge]
    client.reports["c.1"] = [tooLarge, timedOut]
    client.reports["d.1"] = [tooLarge, tooLarge]
    let outcome = run(["a.1", "b.1", "c.1", "d.1", "e.1"], sent: 5)
    #expect(
      outcome
        == .ended(
          .deliveredExcept([
            RefusedOutput(output: 1, detail: "too large"), RefusedOutput(output: 3, detail: "too large"),
          ])))
    #expect(
      client.calls == ["again", "a.1", "again", "b.1", "again", "c.1", "again", "c.1", "again", "d.1"],
      "e.1 was not refused, and no offset is committed")
  }

  @Test("an output that the library refuses at once is left out, the rest is sent")
  func refusedAtOnce() {
    client.refusedAtOnce["b.1"] = tooLarge
    #expect(
      run(["a.1", "b.1", "c.1"], sent: 1)
        == .ended(.deliveredExcept([RefusedOutput(output: 1, detail: "too large")])))
    #expect(client.calls == ["c.1"])
  }

  @Test("what left behind a repeated output comes again too, in later jobs, but only under its key")
  func laterBatchesRepeat() {
    sendAhead(2, of: 1, sent: 2)
    sendAhead(3, of: 2, sent: 2)
    client.reports["a.1"] = [timedOut]
    var commit = AtLeastOnceCommit(client: client, ahead: ahead)
    #expect(commit.run(job(1, ["a.1", "b.1"]), gate: gate) == .ended(.committed))
    #expect(client.calls == ["again", "a.1", offsets])
    #expect(ahead.begin(batch: 3, generation: 1, count: 1, makeNumber: { 3 }) == nil, "the second job comes first")
    #expect(commit.run(job(2, ["a.2", "b.2", "a.3"]), gate: gate) == .ended(.committed))
    #expect(client.calls.dropFirst(3) == ["again", "a.2", "a.3", offsets])
    #expect(ahead.begin(batch: 3, generation: 1, count: 1, makeNumber: { 3 }) != nil)
    ahead.sent(1, batch: 3, generation: 1)
    #expect(commit.run(job(3, ["a.4"]), gate: gate) == .ended(.committed))
    #expect(client.calls.dropFirst(7) == [offsets], "that one left after the repeats")
  }

  @Test("a job repeated with a dead letter in place of a refused output upsets nothing")
  func repeatedWithDeadLetter() {
    sendAhead(2, of: 1, sent: 2)
    sendAhead(1, of: 2, sent: 1)
    client.reports["a.1"] = [tooLarge, tooLarge]
    var commit = AtLeastOnceCommit(client: client, ahead: ahead)
    #expect(
      commit.run(job(1, ["a.1", "b.1"]), gate: gate)
        == .ended(.deliveredExcept([RefusedOutput(output: 0, detail: "too large")])))
    #expect(commit.run(job(1, ["dead"]), gate: gate) == .ended(.committed))
    #expect(commit.run(job(2, ["a.2"]), gate: gate) == .ended(.committed))
    #expect(client.calls == ["again", "a.1", "dead", offsets, "again", "a.2", offsets])
  }

  @Test("partitions given back while reports are awaited: dropped without offsets, and the books are closed")
  func givenBack() {
    client.withholdsReports = true
    client.onPause = { [gate] in gate.shut() }
    #expect(run(["a.1"], sent: 1) == .ended(.dropped(detail: "the partitions were given back")))
    #expect(client.calls.isEmpty)
    #expect(client.retired == [1])
  }

  @Test("partitions given back while the offsets' answer is awaited: it cannot be taken for the next one's")
  func answerForgotten() {
    client.withholdsAnswers = true
    client.onPause = { [gate, client] in if !client.calls.isEmpty { gate.shut() } }
    #expect(run(["a.1"], sent: 1) == .ended(.dropped(detail: "the partitions were given back")))
    #expect(client.calls == [offsets])
    #expect(client.forgottenAnswers == 1)
  }

  @Test("a worker that ends while reports are awaited leaves the job")
  func closing() {
    client.withholdsReports = true
    client.onPause = { [gate] in gate.close() }
    #expect(run(["a.1"], sent: 1) == .abandoned)
    #expect(client.calls.isEmpty)
  }

  @Test("what had left under an assignment that is over is nobody's any more")
  func orphans() {
    sendAhead(2, of: 4, sent: 2)
    gate.open(generation: 2, membership: nil)
    var commit = AtLeastOnceCommit(client: client, ahead: ahead)
    let next = CommitJob(id: 9, generation: 2, batch: 1, outputs: [output("x.1")], offsets: [])
    #expect(commit.run(next, gate: gate) == .ended(.committed))
    #expect(client.calls == ["x.1"])
    #expect(client.retired.first == 4)
  }

  @Test("errors that no repeating mends stop the worker")
  func fatal() {
    client.reports["a.1"] = [KafkaError(code: "_FATAL", reaction: .clientBroken, message: "fatal")]
    #expect(run(["a.1"], sent: 1) == .failed(WorkerFailure(.environment, "fatal")))
    client.reports["a.1"] = [KafkaError(code: "FENCED_INSTANCE_ID", reaction: .fenced, message: "fenced")]
    #expect(run(["a.1"], sent: 1) == .failed(WorkerFailure(.fenced, "fenced")))
  }

  @Test("offsets are asked for again after an error that may pass, and dropped when the group has moved on")
  func offsetErrors() {
    client.answers = [.failed(timedOut), .committed]
    #expect(run(["a.1"], sent: 1) == .ended(.committed))
    #expect(client.calls == [offsets, offsets])
    client.answers = [.failed(KafkaError(code: "ILLEGAL_GENERATION", reaction: .groupMoved, message: "moved"))]
    #expect(run(["a.1"], sent: 1) == .ended(.dropped(detail: "committing offsets: moved")))
  }
}
