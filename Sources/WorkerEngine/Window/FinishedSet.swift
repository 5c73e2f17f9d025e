// The text form of "which offsets beyond the frontier are finished", as it stands in a committed offset's metadata:
//
//   w1.CONTEXT.TIMESTAMP.RUNS
//
// w1 is the version; CONTEXT an opaque word of the application (its journal's id), never with a dot; TIMESTAMP the time of the
// record at the frontier plus one (0: unknown, and then, if known, the time of the record just before the frontier plus one: with
// either a log made again is told from the one that was read); RUNS the lengths of the runs from the frontier on: not finished,
// finished, not finished, … Numbers are digits of five bits, the lowest first, one base64url character each, the sixth bit saying that
// more follow. What a reader does not know it ignores: a set is a saving of work, the journal is the truth.

/// A finished set as read back.
package struct FinishedSet: Hashable, Sendable {
  /// Most characters that Kafka accepts for a commit's metadata (`offset.metadata.max.bytes`).
  package static let charactersMax = 4096
  static let version = "w1"

  /// The application's word; empty if it has none.
  package let context: String
  /// The time of the record at the frontier, milliseconds since the Unix epoch; nil: unknown.
  package let frontierTimestamp: Int64?
  /// The time of the record just before the frontier; nil: unknown, or the one at the frontier is known.
  package let previousTimestamp: Int64?
  /// Finished offsets from the frontier on: ascending, disjoint, not empty.
  package let ranges: [Range<Int64>]

  package init(
    context: String, frontierTimestamp: Int64?, previousTimestamp: Int64? = nil, ranges: [Range<Int64>]
  ) {
    self.context = context
    self.frontierTimestamp = frontierTimestamp
    self.previousTimestamp = previousTimestamp
    self.ranges = ranges
  }
}

/// Why a commit's metadata is not used.
package enum FinishedSetUnreadable: Error, Hashable, Sendable {
  /// Not written by this engine, or by a later version of it.
  case foreign
  /// Ours, but cut off or changed; `String` says where.
  case damaged(String)
}

extension FinishedSet {
  /// Reads metadata committed with the offset `frontier`; nil if there is none.
  package static func decode(_ text: String, frontier: Int64) throws(FinishedSetUnreadable) -> FinishedSet? {
    guard !text.isEmpty else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts[0] == version else { throw .foreign }
    guard parts.count == 4 else { throw .damaged("\(parts.count) parts instead of 4") }
    guard text.utf8.count <= charactersMax else { throw .damaged("longer than \(charactersMax) characters") }
    let times = try numbers(parts[2])
    guard times.count == 1 || (times.count == 2 && times[0] == 0) else { throw .damaged("timestamp") }
    return FinishedSet(
      context: String(parts[1]), frontierTimestamp: times[0] == 0 ? nil : times[0] - 1,
      previousTimestamp: times.count < 2 || times[1] == 0 ? nil : times[1] - 1,
      ranges: try ranges(of: try numbers(parts[3]), frontier: frontier))
  }

  private static func ranges(
    of runs: [Int64], frontier: Int64
  ) throws(FinishedSetUnreadable) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    var offset = frontier
    for (index, run) in runs.enumerated() {
      // Only the very first run may be empty: the frontier itself is finished.
      guard run > 0 || index == 0 else { throw .damaged("an empty run") }
      let (end, overflow) = offset.addingReportingOverflow(run)
      guard !overflow else { throw .damaged("offsets beyond 64 bits") }
      if index % 2 == 1 { ranges.append(offset..<end) }
      offset = end
    }
    guard runs.count % 2 == 0 else { throw .damaged("ends with unfinished offsets") }
    return ranges
  }

  private static func numbers(_ text: Substring) throws(FinishedSetUnreadable) -> [Int64] {
    var numbers: [Int64] = []
    var number: Int64 = 0
    var shift: Int64 = 0
    for character in text.utf8 {
      guard let digit = FinishedSetWriter.digit(of: character) else { throw .damaged("a character that is no digit") }
      let bits = Int64(digit & 31)
      guard shift < 60 || bits == 0 || (shift == 60 && bits < 8) else { throw .damaged("a number beyond 63 bits") }
      if shift <= 60 { number |= bits << shift }
      if digit & 32 != 0 {
        shift += 5
        guard shift <= 60 else { throw .damaged("a number beyond 63 bits") }
      } else {
        numbers.append(number)
        number = 0
        shift = 0
      }
    }
    guard shift == 0 else { throw .damaged("ends inside a number") }
    return numbers
  }
}

/// Writes a finished set, run by run.
struct FinishedSetWriter {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in digits.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  private var text: [UInt8]
  private let charactersMax: Int
  /// One beyond the last offset told.
  private(set) var offset: Int64
  private var runIsFinished = false
  private var run: Int64 = 0

  /// Begins at the frontier.
  init(
    context: String, frontierTimestamp: Int64?, previousTimestamp: Int64? = nil, frontier: Int64,
    charactersMax: Int = FinishedSet.charactersMax
  ) {
    precondition(!context.utf8.contains(UInt8(ascii: ".")), "a context has no dot")
    text = Array("\(FinishedSet.version).\(context).".utf8)
    self.charactersMax = charactersMax
    offset = frontier
    put(Self.number(of: frontierTimestamp))
    if Self.number(of: frontierTimestamp) == 0, Self.number(of: previousTimestamp) > 0 {
      put(Self.number(of: previousTimestamp))
    }
    text.append(UInt8(ascii: "."))
  }

  /// A time as it is written: plus one, so that zero is free for an unknown one.
  private static func number(of timestamp: Int64?) -> Int64 {
    guard let timestamp, timestamp >= 0 else { return 0 }
    return timestamp &+ 1
  }

  static func digit(of character: UInt8) -> UInt8? {
    let value = values[Int(character)]
    return value == 255 ? nil : value
  }

  /// Says what the offsets from `offset` up to `end` (not included) are.
  mutating func append(upTo end: Int64, finished: Bool) {
    guard end > offset else { return }
    if finished != runIsFinished {
      put(run)
      runIsFinished = finished
      run = 0
    }
    run += end - offset
    offset = end
  }

  /// Too long already: nothing more needs to be told.
  var isFull: Bool { text.count > charactersMax }

  /// The text; nil if it is too long. An unfinished run at the end says nothing and is left out.
  consuming func finish() -> String? {
    if runIsFinished { put(run) }
    return text.count <= charactersMax ? String(decoding: text, as: UTF8.self) : nil
  }

  private mutating func put(_ number: Int64) {
    var rest = UInt64(bitPattern: number)
    repeat {
      let low = Int(rest & 31)
      rest >>= 5
      text.append(FinishedSetWriter.digits[rest == 0 ? low : low | 32])
    } while rest != 0
  }
}
