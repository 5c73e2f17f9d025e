// The headers of a message that mean something to us.

/// Where those headers' values stand in a message's bytes. Names are lower case by the binding; `content-type` is read in
/// any case. Of several with one name the last counts, as in Kafka's own clients.
package struct EventHeaders: Sendable {
  // A stretch of the storage; a negative count: there is none.
  private struct Place {
    var start: Int32 = 0
    var count: Int32 = -1

    init(_ range: Range<Int>? = nil) {
      guard let range else { return }
      start = Int32(range.lowerBound)
      count = Int32(range.count)
    }
  }

  private enum Meaning {
    case id
    case type
    case time
    case origin
    case traceState
    case traceParent
    case contentType

    init?(_ name: Span<UInt8>) {
      switch name.count {
      case 5 where name.isExactly("ce_id"): self = .id
      case 7 where name.isExactly("ce_type"): self = .type
      case 7 where name.isExactly("ce_time"): self = .time
      case 9 where name.isExactly("ce_origin"): self = .origin
      case 10 where name.isExactly("tracestate"): self = .traceState
      case 11 where name.isExactly("traceparent"): self = .traceParent
      case 12 where isContentType(name): self = .contentType
      default: return nil
      }
    }
  }

  private let storage: [UInt8]
  private var typePlace = Place()
  private var idPlace = Place()
  private var originPlace = Place()
  private var timePlace = Place()
  private var traceParentPlace = Place()
  private var traceStatePlace = Place()
  private(set) var isStructured = false

  /// None yet; those to be added stand in `storage`, which is below 2 GiB.
  package init(in storage: [UInt8]) {
    self.storage = storage
  }

  /// Takes note of a header whose name and value stand at these places in the storage; the value is nil for a null one.
  package mutating func add(name: Range<Int>, value: Range<Int>?) {
    switch Meaning(storage.span.extracting(name)) {
    case .id: idPlace = Place(value)
    case .type: typePlace = Place(value)
    case .time: timePlace = Place(value)
    case .origin: originPlace = Place(value)
    case .traceState: traceStatePlace = Place(value)
    case .traceParent: traceParentPlace = Place(value)
    case .contentType: isStructured = value.map { isStructuredContent(storage[$0]) } ?? false
    case nil: break
    }
  }

  /// `ce_type`; nil: absent or null, as for all of them.
  var type: ArraySlice<UInt8>? { slice(typePlace) }
  /// `ce_id`.
  var id: ArraySlice<UInt8>? { slice(idPlace) }
  /// `ce_origin`.
  var origin: ArraySlice<UInt8>? { slice(originPlace) }
  /// `ce_time`.
  var time: ArraySlice<UInt8>? { slice(timePlace) }
  /// `traceparent`.
  var traceparent: ArraySlice<UInt8>? { slice(traceParentPlace) }
  /// `tracestate`.
  var tracestate: ArraySlice<UInt8>? { slice(traceStatePlace) }

  private func slice(_ place: Place) -> ArraySlice<UInt8>? {
    place.count < 0 ? nil : storage[Int(place.start)..<Int(place.start + place.count)]
  }
}

extension EventHeaders {
  /// The headers of a list, copied. Off the hot path: see `add`.
  init(_ headers: [InboundMessage.Header]) {
    var storage: [UInt8] = []
    var places: [(name: Range<Int>, value: Range<Int>?)] = []
    func append(_ bytes: ArraySlice<UInt8>) -> Range<Int> {
      storage.append(contentsOf: bytes)
      return storage.count - bytes.count..<storage.count
    }
    for header in headers { places.append((append(header.name), header.value.map(append))) }
    self.init(in: storage)
    for place in places { add(name: place.name, value: place.value) }
  }
}

private func isContentType(_ name: Span<UInt8>) -> Bool {
  name.isExactly("content-type") || name.indices.allSatisfy { lowercased(name[$0]) == contentType[$0] }
}

private let contentType = Array("content-type".utf8)

private func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte }

// Media types are case-insensitive; parameters such as charset may follow.
private func isStructuredContent(_ value: ArraySlice<UInt8>) -> Bool {
  // What nearly every message says.
  if value.span.isExactly("application/json") { return false }
  guard value.count <= 256 else { return false }
  let media = value.prefix { $0 != 0x3B }.map(lowercased).filter { $0 != 0x20 && $0 != 0x09 }
  return media.elementsEqual("application/cloudevents+json".utf8)
}
