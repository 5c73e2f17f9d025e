// Where the records in flight are kept: found by number, freed in any order.

/// Records that are not committed yet.
struct RecordSlab {
  /// A place that is free holds `nothing`: an optional would be looked into at each step.
  private var records: [Record] = []
  private var free: [Int32] = []

  private static let nothing = Record(
    slot: -1, offset: -1, timestamp: -1, storage: [], layout: RecordLayout(key: nil, value: nil))

  var count: Int { records.count - free.count }

  /// Keeps a record and returns its number.
  mutating func insert(_ record: consuming Record) -> Int32 {
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
      precondition(records[Int(index)].offset >= 0, "no such record")
      return records[Int(index)]
    }
    set { records[Int(index)] = newValue }
  }

  /// Lets a record go and returns its size.
  mutating func remove(_ index: Int32) -> Int {
    precondition(records[Int(index)].offset >= 0, "no such record")
    let bytes = records[Int(index)].payloadBytes
    records[Int(index)] = RecordSlab.nothing
    free.append(index)
    return bytes
  }
}
