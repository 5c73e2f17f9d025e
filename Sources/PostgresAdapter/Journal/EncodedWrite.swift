// A write as it goes into the tables.

import CheckoutCore
import CheckoutWire

/// A write with its texts.
struct EncodedWrite {
  /// The longest text of one row; a request is at most 512 KiB.
  private static let rowBytesMax = 4 << 20

  /// Of the request in its batch.
  let index: Int
  let write: AttemptWrite
  let details: [UInt8]
  let steps: [UInt8]
  /// Empty unless the row is new.
  let birth: [UInt8]

  init(_ index: Int, _ write: AttemptWrite, isNew: Bool) {
    self.index = index
    self.write = write
    details = JournalCodec.encodeDetails(write.row)
    steps = JournalCodec.encode(write.steps)
    birth = isNew ? JournalCodec.encodeBirth(write.row) : []
  }

  /// Bytes of the texts.
  var byteCount: Int { details.count + steps.count + birth.count }

  var isTooBig: Bool { max(details.count, steps.count, birth.count) > Self.rowBytesMax }

  private var identity: AttemptIdentity { write.row.identity }

  func isOrdered(before other: EncodedWrite) -> Bool {
    (identity.merchantID, identity.idempotencyKey) < (other.identity.merchantID, other.identity.idempotencyKey)
  }
}

extension QueryParameters {
  /// Parameters 3 to 16 of `update`.
  mutating func add(updates rows: [EncodedWrite]) {
    add(texts: rows.map(\.write.row.identity.merchantID))
    add(texts: rows.map(\.write.row.identity.idempotencyKey))
    add(integers: rows.map(\.write.expectedEpoch))
    addColumns(rows)
  }

  /// Parameters 3 to 17 of `create`.
  mutating func add(creates rows: [EncodedWrite]) {
    add(texts: rows.map(\.write.row.identity.merchantID))
    add(texts: rows.map(\.write.row.identity.idempotencyKey))
    add(texts: rows.map(\.write.row.identity.checkoutID))
    addColumns(rows)
    add(utf8: rows.map(\.birth))
  }

  private mutating func addColumns(_ rows: [EncodedWrite]) {
    add(integers: rows.map(\.write.row.version))
    add(integers: rows.map(\.write.row.epoch))
    add(texts: rows.map { $0.write.row.owner?.text })
    add(texts: rows.map { $0.write.row.parked?.reason.rawValue })
    add(flags: rows.map(\.write.row.blocksCheckout))
    add(flags: rows.map(\.write.row.hasEnded))
    add(integers: rows.map { $0.write.row.hasEnded ? $0.write.row.watch?.nextAt.nanoseconds : nil })
    add(integers: rows.map(\.write.row.updatedAt.nanoseconds))
    add(utf8: rows.map(\.details))
    add(texts: rows.map(\.write.writeID))
    add(utf8: rows.map(\.steps))
  }
}
