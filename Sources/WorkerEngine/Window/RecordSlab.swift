// Where the records in flight are kept: found by number, freed in any order.

/// Records that are not committed yet.
struct RecordSlab {
  private var records: [Record?] = []
  private var free: [Int32] = []

  var count: Int { records.count - free.count }

  /// Keeps a record and returns its number.
  mutating func insert(_ record: Record) -> Int32 {
    if let index = free.popLast() {
      records[Int(index)] = record
      return index
    }
    records.append(record)
    return Int32(records.count - 1)
  }

  /// The record with this number. Precondition: it was inserted and not removed.
  subscript(index: Int32) -> Record {
    get {
      guard let record = records[Int(index)] else { preconditionFailure("no record \(index)") }
      return record
    }
    set { records[Int(index)] = newValue }
  }

  /// Lets a record go and returns its size.
  mutating func remove(_ index: Int32) -> Int {
    guard let bytes = records[Int(index)]?.payloadBytes else { preconditionFailure("no record \(index)") }
    records[Int(index)] = nil
    free.append(index)
    return bytes
  }
}
