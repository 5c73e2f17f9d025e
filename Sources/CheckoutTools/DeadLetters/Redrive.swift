// What is done about each chosen dead letter: sent as it is, sent from its source, or left with a reason.

import CheckoutCore
package import WorkerEngine

/// Decides about one letter.
package struct Redrive: Sendable {
  /// What to do.
  package enum Decision: Hashable, Sendable {
    /// Publish this.
    case send(Output)
    /// Its message is not whole in the letter: read it at its source.
    case readSource(topic: String, DeadLetterID)
    /// Leave it.
    case leave(Reason)
  }

  /// Why a letter is left. Raw values are for machines.
  package enum Reason: String, Hashable, CaseIterable, Sendable {
    case foreign
    case alreadyRedriven = "already_redriven"
    case parked
    case sourceUnknown = "source_unknown"
    case sourceGone = "source_gone"
    case sourceChanged = "source_changed"

    /// For a person.
    package var text: String {
      switch self {
      case .foreign: "is no dead letter of ours"
      case .alreadyRedriven: "was sent again already; --again repeats it"
      case .parked: "has failed three times; --force sends it again"
      case .sourceUnknown: "is cut or masked, and says no source to read instead"
      case .sourceGone: "is cut or masked, and its source is gone from the topic"
      case .sourceChanged: "is cut or masked, and another message stands at its source now"
      }
    }
  }

  /// Also those that failed three times.
  package var force: Bool
  /// Also those that were sent again before.
  package var again: Bool
  /// Milliseconds since the Unix epoch: goes into the headers.
  package let nowMilliseconds: Int64
  /// The dead letters' topic: goes into the headers.
  package let topic: String
  /// SHA-256 as lower-case hexadecimal.
  private let digest: @Sendable (Bytes) -> String

  package init(
    force: Bool, again: Bool, nowMilliseconds: Int64, topic: String, digest: @escaping @Sendable (Bytes) -> String
  ) {
    self.force = force
    self.again = again
    self.nowMilliseconds = nowMilliseconds
    self.topic = topic
    self.digest = digest
  }

  /// Decides by the letter alone.
  package func decide(_ item: DeadLetterItem) -> Decision {
    guard let source = item.source else { return .leave(.foreign) }
    if item.isRedriven, !again { return .leave(.alreadyRedriven) }
    if item.text("parked") == "true", !force { return .leave(.parked) }
    guard item.isChanged else {
      return .send(output(item, source, key: item.record.key, value: item.record.value, item.originalHeaders))
    }
    guard let place = source.place else { return .leave(.sourceUnknown) }
    return .readSource(topic: source.topic, place)
  }

  /// Decides once the source was read; nil: nothing is there any more.
  package func decide(_ item: DeadLetterItem, source record: TopicRecord?) -> Decision {
    guard let source = item.source else { return .leave(.foreign) }
    guard let record else { return .leave(.sourceGone) }
    let isSame =
      source.timestampMilliseconds.map { $0 == record.position.timestampMilliseconds } ?? true
      && item.text("length").map { $0 == "\(record.value?.count ?? 0)" } ?? true
      && item.text("sha256").map { $0 == record.value.map(digest) } ?? true
    guard isSame else { return .leave(.sourceChanged) }
    return .send(
      output(item, source, key: record.key, value: record.value, record.headers.filter { !$0.isOurs }))
  }

  /// The message as it was, with our headers replaced: what a further failure must know (generation, first failure), and
  /// where it was sent from.
  private func output(
    _ item: DeadLetterItem, _ source: DeadLetterItem.Source, key: Bytes?, value: Bytes?, _ headers: [Header]
  ) -> Output {
    var ours = [Header("dlq-generation", "\(item.generation)")]
    if let first = item.text("first-failed-at") { ours.append(Header("dlq-first-failed-at", first)) }
    ours.append(Header("dlq-redriven-from", "\(topic)-\(item.id.text)"))
    ours.append(Header("dlq-redriven-at", "\(nowMilliseconds)"))
    return Output(topic: source.topic, key: key, value: value, headers: headers + ours)
  }
}
