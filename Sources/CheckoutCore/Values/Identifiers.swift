// Ids that are derived, never drawn: the same cause always has the same id, on every worker and after every crash.

/// Derives provider keys and event ids. The hash comes from outside, because Core imports nothing.
package struct Identifiers: Sendable {
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// `digest` is a cryptographic hash (SHA-256).
  package init(digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    self.digest = digest
  }

  /// Hash of `parts`, each preceded by its length so that no two lists read alike; 32 lower-case hex digits.
  package func hash(_ parts: [String]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    for part in parts { Self.append(part, to: &bytes) }
    return text(bytes)
  }

  private func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(32)
    text.append(hex: digest(bytes).prefix(16))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ part: String, to bytes: inout [UInt8]) {
    bytes.append(decimal: Int64(part.utf8.count))
    bytes.append(0x3A)
    bytes.append(contentsOf: part.utf8)
  }

  /// The key a provider sees for one call of an attempt. Only reserve, confirm and release have generations above 1.
  package func providerKey(_ attempt: AttemptID, _ operation: Operation, generation: Int) -> ProviderKey {
    let hash = hash(["provider", attempt.merchantID, attempt.idempotencyKey, operation.rawValue, "\(generation)"])
    return ProviderKey(text: "ck_\(operation.rawValue)_\(hash)")
  }

  /// Id of an outcome, or of what validation passes on.
  ///
  /// Hash of `event`, the position's text and the type; written out, because every message needs one.
  package func event(_ type: EventType, of origin: Origin) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(192)
    Self.append("event", to: &bytes)
    bytes.append(decimal: Int64(origin.position.textCount))
    bytes.append(0x3A)
    origin.position.append(to: &bytes)
    Self.append(type.rawValue, to: &bytes)
    return text(bytes)
  }

  /// Id of an ended attempt's answer to its own origin after the group's offsets were lost.
  package func replayedEvent(_ type: EventType, of origin: Origin) -> String {
    hash(["event", origin.position.text, type.rawValue, "replayed"])
  }

  /// Id of a notice; `number` is how many of this type came before it for this attempt.
  package func notice(_ type: EventType, of origin: Origin, number: Int) -> String {
    hash(["notice", origin.position.text, type.rawValue, "\(number)"])
  }

  /// Id of a pending event that the worker of the message at `consumed` publishes.
  package func pendingEvent(_ type: EventType, from consumed: Position) -> String {
    hash(["pending", consumed.text, type.rawValue])
  }

  /// Id of a pending event that a sweep publishes.
  package func sweepEvent(_ attempt: AttemptID, epoch: Int64) -> String {
    hash(["sweep", attempt.merchantID, attempt.idempotencyKey, "\(epoch)", "sweep"])
  }

  /// Id of a person's word, said at `time`: the same word said twice is two events, of which the row's version admits one.
  package func personsWord(_ word: PersonsWord, at time: Timestamp) -> String {
    hash([
      "word", word.attempt.merchantID, word.attempt.idempotencyKey, "\(word.rowVersion)",
      word.resolution?.rawValue ?? "retry", word.who, word.note, "\(time.nanoseconds)",
    ])
  }

  /// Id of the event that brings a watched attempt back for its next look-up.
  package func watchEvent(_ attempt: AttemptID, epoch: Int64, lookUpsDone: Int) -> String {
    hash(["watch", attempt.merchantID, attempt.idempotencyKey, "\(epoch)", "\(lookUpsDone)"])
  }
}
