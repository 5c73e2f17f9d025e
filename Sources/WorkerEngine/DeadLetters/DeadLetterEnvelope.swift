// A dead letter as it stands in its topic: the original bytes and headers, then `dlq-*` headers that say where it came from and
// why it is here. engine.md's list of headers is the contract; redrive and `dead-letters show` read it.

/// Where dead letters go and how large they may be.
package struct DeadLetterSettings: Sendable {
  /// Full topic name.
  package let topic: String
  /// The broker's limit on one message, less a margin for its own framing.
  package var recordBytesMax: Int
  /// What is kept of a value that does not fit.
  package var prefixBytes: Int
  /// Name and function of the digest of a value that does not fit (`dlq-<name>`), as lower-case hexadecimal.
  package var digestName: String
  /// The digest function; lower-case hexadecimal.
  package var digest: @Sendable (Bytes) -> String

  package init(
    topic: String, recordBytesMax: Int = 1_000_000, prefixBytes: Int = 65_536, digestName: String = "sha256",
    digest: @escaping @Sendable (Bytes) -> String
  ) {
    self.topic = topic
    self.recordBytesMax = recordBytesMax
    self.prefixBytes = prefixBytes
    self.digestName = digestName
    self.digest = digest
  }
}

/// What a dead letter is made of.
struct DeadLetterSource {
  let topic: String
  /// Partition, offset and timestamp; nil for an output that came from no message.
  let position: (partition: Int32, offset: Int64, timestamp: Int64)?
  let key: Bytes?
  let value: Bytes?
  let headers: [Header]

  init(_ record: Record, of partition: TopicPartition) {
    topic = partition.topic
    position = (partition.partition, record.offset, record.timestamp)
    key = record.key
    value = record.value
    headers = record.headers
  }

  /// An output without a message that the broker refused.
  init(refused output: Output) {
    topic = output.topic
    position = nil
    key = output.key
    value = output.value
    headers = output.headers
  }
}

/// Makes dead letters.
struct DeadLetterEnvelope {
  /// From this failure on a message is redriven only by force.
  static let parkedFromGeneration = 3
  static let detailBytesMax = 512
  private static let prefix = Array("dlq-".utf8)

  let settings: DeadLetterSettings
  let group: String
  let stage: String

  /// The dead letter of a source.
  func output(of source: DeadLetterSource, _ letter: DeadLetter, now: Moment) -> Output {
    let originals = source.headers.filter { header in !isOurs(header) }
    var ours = reason(source, letter, now)
    if letter.redactedValue != nil { ours.append(Header("dlq-redacted", "true")) }
    let value = letter.redactedValue ?? source.value
    let whole = Output(topic: settings.topic, key: source.key, value: value, headers: originals + ours)
    guard whole.payloadBytes > settings.recordBytesMax else { return whole }
    ours += cutMarks(value, redacted: letter.redactedValue != nil)
    let prefix = value.map { bytes in
      Bytes(bytes.storage, start: bytes.start, count: min(bytes.count, settings.prefixBytes))
    }
    let short = Output(topic: settings.topic, key: source.key, value: prefix, headers: originals + ours)
    guard short.payloadBytes > settings.recordBytesMax else { return short }
    // The headers or the key are what is too large.
    ours.append(Header("dlq-headers-dropped", String(originals.count)))
    let keyFits = (source.key?.count ?? 0) <= settings.recordBytesMax / 4
    if !keyFits { ours.append(Header("dlq-key-dropped", "true")) }
    return Output(topic: settings.topic, key: keyFits ? source.key : nil, value: prefix, headers: ours)
  }

  /// A dead letter that was refused itself, reduced to where it came from and why: no value, none of the original headers.
  func reduced(_ refused: Output) -> Output {
    var ours = refused.headers.filter(isOurs)
    if !ours.contains(where: { header in header.name == Bytes("dlq-truncated") }) {
      ours += cutMarks(refused.value, redacted: ours.contains { header in header.name == Bytes("dlq-redacted") })
    }
    return Output(topic: refused.topic, key: refused.key, value: refused.value.map { _ in Bytes([]) }, headers: ours)
  }

  private func cutMarks(_ value: Bytes?, redacted: Bool) -> [Header] {
    var marks = [Header("dlq-truncated", "true")]
    if !redacted, let value {
      marks.append(Header("dlq-length", String(value.count)))
      marks.append(Header("dlq-\(settings.digestName)", settings.digest(value)))
    }
    return marks
  }

  private func reason(_ source: DeadLetterSource, _ letter: DeadLetter, _ now: Moment) -> [Header] {
    let milliseconds = String(now.wall / 1_000_000)
    let generation = DeadLetterEnvelope.generation(in: source.headers) + 1
    var headers = [Header("dlq-topic", source.topic)]
    if let position = source.position {
      headers.append(Header("dlq-partition", String(position.partition)))
      headers.append(Header("dlq-offset", String(position.offset)))
      headers.append(Header("dlq-timestamp", String(position.timestamp)))
    }
    headers.append(Header("dlq-group", group))
    headers.append(Header("dlq-stage", stage))
    headers.append(Header("dlq-code", letter.code))
    headers.append(Header("dlq-detail", DeadLetterEnvelope.bounded(letter.detail)))
    headers.append(Header("dlq-attempt", String(generation)))
    headers.append(Header("dlq-generation", String(generation)))
    headers.append(Header("dlq-first-failed-at", firstFailure(in: source.headers) ?? milliseconds))
    headers.append(Header("dlq-last-failed-at", milliseconds))
    if generation >= DeadLetterEnvelope.parkedFromGeneration { headers.append(Header("dlq-parked", "true")) }
    return headers
  }

  private func isOurs(_ header: Header) -> Bool { header.name.slice.starts(with: DeadLetterEnvelope.prefix) }

  private func firstFailure(in headers: [Header]) -> String? {
    guard let text = DeadLetterEnvelope.text(of: "dlq-first-failed-at", in: headers), let time = Int64(text), time > 0
    else { return nil }
    return String(time)
  }

  /// How often the message was a dead letter before; 0 if the header is missing or makes no sense.
  private static func generation(in headers: [Header]) -> Int {
    guard let text = text(of: "dlq-generation", in: headers), let count = Int(text), (1...1_000_000).contains(count)
    else { return 0 }
    return count
  }

  private static func text(of name: String, in headers: [Header]) -> String? {
    let wanted = Bytes(name)
    guard let header = headers.last(where: { header in header.name == wanted }), let value = header.value,
      value.count <= 32
    else { return nil }
    return String(decoding: value.slice, as: UTF8.self)
  }

  /// One line of at most 512 bytes, cut between characters.
  private static func bounded(_ detail: String) -> String {
    var line = String.UnicodeScalarView()
    var bytes = 0
    for scalar in detail.unicodeScalars {
      let kept: Unicode.Scalar = scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar
      bytes += UTF8.width(kept)
      if bytes > detailBytesMax { break }
      line.append(kept)
    }
    return String(line)
  }
}
