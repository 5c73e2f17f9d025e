// Reference data from two compacted topics: records go in one by one, the tables come out.
package import CheckoutCore

/// A topic of reference data; raw values are what the topics are called where nobody says otherwise.
package enum ReferenceTopic: String, Hashable, CaseIterable, Sendable {
  case accounts = "reference.accounts"
  case prices = "reference.prices"
}

/// Accounts and prices as two compacted topics tell them. The value of a record is one entry, as in the file; its key may
/// be any bytes, but each entry needs one of its own: the newest record of a key counts, and a tombstone takes its entry
/// away.
package struct ReferenceFeed: Sendable {
  /// Where a record stood.
  package struct Place: Hashable, Sendable {
    /// Which of the two.
    package let topic: ReferenceTopic
    /// Its partition.
    package let partition: Int32
    /// The record's offset there.
    package let offset: Int64

    /// A place of its three parts.
    package init(topic: ReferenceTopic, partition: Int32, offset: Int64) {
      self.topic = topic
      self.partition = partition
      self.offset = offset
    }
  }

  /// The tables; nothing in them is believed before `isComplete`.
  private var data = ReferenceData.unavailable(version: ReferenceVersion("topics:"))
  private var accountKeys: [[UInt8]: AccountKey] = [:]
  private var priceKeys: [[UInt8]: PriceKey] = [:]
  /// The next offset of each partition, for the version.
  private var next: [ReferenceTopic: [Int32: Int64]] = [:]

  /// A feed that has heard nothing yet.
  package init() {}

  /// True once both topics were read to the end they had when the reading began.
  package var isComplete: Bool { data.accounts.coverage == .complete && data.prices.coverage == .complete }

  /// The tables as they are now, under the version that says up to where the topics were read.
  package func snapshot() -> ReferenceData {
    var data = data
    data.version = version
    return data
  }

  /// Says that all partitions of a topic were read to their ends: what was not in it does not exist.
  package mutating func complete(_ topic: ReferenceTopic) {
    switch topic {
    case .accounts: data.accounts.coverage = .complete
    case .prices: data.prices.coverage = .complete
    }
  }

  /// Takes one record. Returns what is wrong with it, for people; its entry does not exist then: an older record of the
  /// key is gone after the next compaction, so believing it would make the answer depend on when the process started.
  package mutating func apply(key: [UInt8]?, value: [UInt8]?, at place: Place) -> String? {
    next[place.topic, default: [:]][place.partition] = place.offset + 1
    guard let key else { return "a record without a key: a compacted topic needs one" }
    remove(key, place.topic)
    guard let value else { return nil }
    let entry: JSONValue
    do throws(JSONError) {
      entry = try JSONValue(parsing: value[...])
    } catch {
      return error.detail
    }
    return set(entry, key, place.topic)
  }

  private mutating func remove(_ key: [UInt8], _ topic: ReferenceTopic) {
    switch topic {
    case .accounts: if let known = accountKeys.removeValue(forKey: key) { data.accounts.set(nil, for: known) }
    case .prices: if let known = priceKeys.removeValue(forKey: key) { data.prices.set(nil, for: known) }
    }
  }

  private mutating func set(_ value: JSONValue, _ key: [UInt8], _ topic: ReferenceTopic) -> String? {
    switch topic {
    case .accounts:
      guard let entry = ReferenceFile.account(value) else { return ReferenceFile.accountNeeds }
      accountKeys[key] = entry.key
      data.accounts.set(entry.status, for: entry.key)
    case .prices:
      guard let entry = ReferenceFile.price(value) else { return ReferenceFile.priceNeeds }
      priceKeys[key] = entry.key
      data.prices.set(entry.unitPriceMinor, for: entry.key)
    }
    return nil
  }

  /// `topics:accounts 0@12,1@7;prices 0@123`: up to where each partition was read. Whoever reads the topics so far has
  /// the tables a decision was made with, as long as compaction has not taken them away.
  private var version: ReferenceVersion {
    let parts = ReferenceTopic.allCases.compactMap { topic -> String? in
      guard let partitions = next[topic] else { return nil }
      let places = partitions.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value)" }
      return "\(topic == .accounts ? "accounts" : "prices") \(places.joined(separator: ","))"
    }
    return ReferenceVersion("topics:\(parts.joined(separator: ";"))")
  }
}
