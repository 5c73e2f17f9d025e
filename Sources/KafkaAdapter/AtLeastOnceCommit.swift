// Commit jobs for brokers without transactions: outputs first, offsets once all of them are delivered. Most outputs have been sent
// ahead by then. What a broker would not take comes again, with all that was sent behind it under its key, so that each key's last
// output is its newest.

import WorkerEngine

/// Outputs through the idempotent producer, then the offsets with their metadata through the consumer.
struct AtLeastOnceCommit<Client: DeliveryClient>: CommitStrategy {
  private let client: Client
  private let ahead: SentAhead
  /// Keys whose outputs came again, and the last batch of which something had left by then: theirs have to come again as well.
  private var upset: (keys: Set<OrderKey>, generation: Int, through: Int)?

  /// How long one wait lasts before the gate is looked at again.
  private static var waitNanoseconds: Int64 { 50_000_000 }
  /// How long to leave the broker alone after an error that may pass.
  private static var backoffNanoseconds: Int64 { 100_000_000 }

  init(client: Client, ahead: SentAhead) {
    self.client = client
    self.ahead = ahead
  }

  mutating func prepare(gate: CommitGate) -> CommitOutcome? { nil }

  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome {
    do throws(DeliveryStop) {
      let refused = try deliver(job, gate)
      guard refused.isEmpty else { return .ended(.deliveredExcept(refused)) }
      try commitOffsets(job, gate)
      return .ended(.committed)
    } catch {
      return error.outcome
    }
  }

  // MARK: Outputs

  /// Returns once every output is delivered or refused for its own sake.
  private mutating func deliver(_ job: CommitJob, _ gate: CommitGate) throws(DeliveryStop) -> [RefusedOutput] {
    let (entry, orphans) = ahead.take(batch: job.batch, generation: job.generation)
    for orphan in orphans {
      if let number = orphan.number { client.retire(client.adopt(number, [], sent: orphan.sent)) }
    }
    let sent = entry?.sent ?? 0
    let batch = client.adopt(entry?.number, job.outputs, sent: sent)
    defer {
      client.retire(batch)
      ahead.settle(batch: job.batch, generation: job.generation)
    }
    var round = DeliveryRound(job: job, gate: gate)
    try repeatUpset(sent, &round)
    try produce(job.outputs, from: sent, batch: batch, &round)
    try awaitReports(batch, round)
    for (index, error) in client.takeFailures(batch: batch) { round.failed[index] = error }
    while !round.failed.isEmpty { try repeatFailed(&round) }
    return round.refused.sorted { left, right in left.key < right.key }
      .map { RefusedOutput(output: $0.key, detail: $0.value) }
  }

  /// Of what was sent ahead behind a repeated output, the keys' outputs come again.
  private mutating func repeatUpset(_ sent: Int, _ round: inout DeliveryRound) throws(DeliveryStop) {
    guard let upset else { return }
    guard upset.generation == round.job.generation, round.job.batch <= upset.through else {
      self.upset = nil
      return
    }
    let again = (0..<sent).filter { index in OrderKey(round.job.outputs[index]).map(upset.keys.contains) ?? false }
    try send(again, &round)
  }

  /// Sends once more what failed, and what was sent behind it under the same key.
  private mutating func repeatFailed(_ round: inout DeliveryRound) throws(DeliveryStop) {
    let outputs = round.job.outputs
    let failed = round.failed
    round.failed = [:]
    for error in failed.values {
      if let stop = DeliveryStop(error), error.reaction != .messageRefused { throw stop }
    }
    let keys = Set(failed.keys.compactMap { index in OrderKey(outputs[index]) })
    let through = ahead.close(batch: round.job.batch, generation: round.job.generation)
    upset = (keys.union(upset?.keys ?? []), round.job.generation, max(through, upset?.through ?? 0))
    let first = failed.keys.min() ?? 0
    let again = (first..<outputs.count).filter { index in
      round.refused[index] == nil
        && (failed[index] != nil || OrderKey(outputs[index]).map(keys.contains) ?? false)
    }
    if let cause = failed[first] {
      client.log("\(failed.count) outputs were not delivered (\(cause.message)); sending \(again.count) again")
    }
    if failed.values.contains(where: { $0.reaction == .messageRefused }) {
      // The broker refuses a request as a whole: alone, each output shows whether it is the one.
      for index in again { try sendAlone(index, &round) }
    } else {
      client.pause(nanoseconds: Self.backoffNanoseconds)
      try send(again, &round)
    }
  }

  private func sendAlone(_ index: Int, _ round: inout DeliveryRound) throws(DeliveryStop) {
    while true {
      try send([index], &round)
      guard let error = round.failed.removeValue(forKey: index) else { return }
      if error.reaction == .messageRefused {
        round.refused[index] = error.message
        return
      }
      if let stop = DeliveryStop(error) { throw stop }
      client.pause(nanoseconds: Self.backoffNanoseconds)
    }
  }

  /// Sends some outputs in a batch of their own and waits for their reports.
  private func send(_ indices: [Int], _ round: inout DeliveryRound) throws(DeliveryStop) {
    guard !indices.isEmpty else { return }
    let outputs = indices.map { index in round.job.outputs[index] }
    let batch = client.open(outputs)
    var inside = DeliveryRound(job: round.job, gate: round.gate)
    try produce(outputs, from: 0, batch: batch, &inside)
    try awaitReports(batch, round)
    for (index, detail) in inside.refused { round.refused[indices[index]] = detail }
    for (index, error) in client.takeFailures(batch: batch) { round.failed[indices[index]] = error }
  }

  /// Hands all outputs from an index on to the library. One that it refuses at once is left out.
  private func produce(
    _ outputs: [Output], from first: Int, batch: UInt, _ round: inout DeliveryRound
  ) throws(DeliveryStop) {
    var next = first
    while next < outputs.count {
      let (queued, problem) = client.enqueue(outputs, next..<outputs.count, batch: batch)
      next += queued
      switch problem {
      case nil: continue
      case .failed(let error) where error.reaction == .messageRefused:
        round.refused[next] = error.message
        next += 1
      case .failed(let error):
        if let stop = DeliveryStop(error) { throw stop }
        client.pause(nanoseconds: Self.backoffNanoseconds)
      case .full: client.pause(nanoseconds: Self.waitNanoseconds)
      }
      try round.check()
    }
  }

  private func awaitReports(_ batch: UInt, _ round: DeliveryRound) throws(DeliveryStop) {
    while client.outstanding(batch: batch) > 0 {
      try round.check()
      client.pause(nanoseconds: Self.waitNanoseconds)
    }
  }

  // MARK: Offsets

  /// Commits the offsets and waits for the answer.
  private func commitOffsets(_ job: CommitJob, _ gate: CommitGate) throws(DeliveryStop) {
    let states = job.offsets.map { PartitionState(partition: $0.partition, offset: $0.offset, metadata: $0.metadata) }
    guard !states.isEmpty else { return }
    let round = DeliveryRound(job: job, gate: gate)
    while true {
      try round.check()
      guard let asked = gate.whileOwned(by: job.generation, { client.ask(states) }) else {
        throw DeliveryStop.givenBack
      }
      let error: KafkaError
      if let asked {
        error = asked
      } else {
        switch try awaitAnswer(round) {
        case .committed: return
        case .failed(let answer): error = answer
        }
      }
      if let stop = DeliveryStop(error.during("committing offsets")) { throw stop }
      client.pause(nanoseconds: Self.backoffNanoseconds)
    }
  }

  private func awaitAnswer(_ round: DeliveryRound) throws(DeliveryStop) -> OffsetAnswer {
    while true {
      if let answer = client.answer() { return answer }
      client.pause(nanoseconds: Self.waitNanoseconds)
      do throws(DeliveryStop) {
        try round.check()
      } catch {
        client.forgetAnswer()
        throw error
      }
    }
  }
}

/// Outputs of one key in one topic keep their order.
private struct OrderKey: Hashable {
  let topic: String
  let key: Bytes

  /// Nil: an output without a key has no order.
  init?(_ output: Output) {
    guard let key = output.key else { return nil }
    topic = output.topic
    self.key = key
  }
}

/// What is known of a job's outputs; by index.
private struct DeliveryRound {
  let job: CommitJob
  let gate: CommitGate
  /// Not delivered; they come again.
  var failed: [Int: KafkaError] = [:]
  /// Refused for their own sake; they do not.
  var refused: [Int: String] = [:]

  /// Throws if the job is not to go on.
  func check() throws(DeliveryStop) {
    if gate.isClosing { throw DeliveryStop(outcome: .abandoned) }
    if !gate.admits(job.generation) { throw DeliveryStop.givenBack }
  }
}

/// Ends a job early.
private struct DeliveryStop: Error {
  let outcome: CommitOutcome

  static var givenBack: DeliveryStop {
    DeliveryStop(outcome: .ended(.dropped(detail: "the partitions were given back")))
  }

  init(outcome: CommitOutcome) { self.outcome = outcome }

  /// Nil: it may pass.
  init?(_ error: KafkaError) {
    switch error.reaction {
    case .retry: return nil
    case .groupMoved: outcome = .ended(.dropped(detail: error.message))
    case .fenced: outcome = .failed(WorkerFailure(.fenced, error.message))
    case .messageRefused, .environment, .clientBroken: outcome = .failed(WorkerFailure(.environment, error.message))
    }
  }
}
