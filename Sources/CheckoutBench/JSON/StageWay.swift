// What a message costs in the validation stage itself: fingerprint, event id, headers and outputs included.
import CheckoutCore
import CheckoutStages
import CheckoutWire
import WorkerEngine

/// A validation stage with a batch of equal messages, handed over as the engine does.
final class StageWay {
  /// Messages in one call.
  static let batch = 50

  private var stage: ValidationStage
  private let deliveries: [Delivery]
  private let now: Moment

  /// A stage that accepts `sample` with `reference` at `time`.
  init(sample: String, reference: ReferenceData, time: Timestamp) throws {
    stage = try ValidationStage(
      settings: ValidationStageSettings(policy: ValidationPolicy(livemode: false), topics: TopicNames()),
      identifiers: Identifiers(digest: SHA256.digest), reference: { reference })
    now = Moment(wall: time.nanoseconds, boot: 0)
    let value = Bytes(sample)
    let headers = [
      Header("ce_specversion", "1.0"), Header("ce_id", "5f0c2a52-3c1e-4a0b-9a51-00000000000a"),
      Header("ce_source", "/shop"), Header("ce_type", "checkout.requested"),
      Header("ce_time", "2026-11-30T12:00:00Z"), Header("content-type", "application/json"),
    ]
    deliveries = (0..<Int64(Self.batch)).map { offset in
      Delivery(
        generation: 1,
        partition: TopicPartition(topic: "checkout.requests", partition: 0),
        record: Record(
          slot: 0, offset: offset, timestamp: time.milliseconds, key: Bytes("chk_000001"), value: value,
          headers: headers),
        offsetsWereLost: false)
    }
  }

  /// Bytes of all outputs of one batch.
  func pass() -> Int {
    var turn = Turn(now: now)
    stage.receive(deliveries, &turn)
    var bytes = 0
    for request in turn.requests {
      guard case .finish(_, let outputs) = request else { preconditionFailure("the sample does not pass") }
      for output in outputs { bytes += output.payloadBytes }
    }
    return bytes
  }
}
