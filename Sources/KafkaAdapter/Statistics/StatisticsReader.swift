// From the library's statistics document to values. What is missing or of another type is left out: a metric less, never a
// worker less.

import CheckoutWire
import WorkerEngine

/// Reads one statistics document.
enum StatisticsReader {
  /// Nil if the text is no statistics document.
  static func read(_ json: String) -> KafkaStatistics? {
    guard let root = try? JSONValue(parsing: ArraySlice(json.utf8)), let type = root["type"]?.string,
      let client = KafkaStatistics.Client(rawValue: type)
    else { return nil }
    var statistics = KafkaStatistics(client: client)
    for (_, broker) in root["brokers"]?.members ?? [] {
      // Bootstrap addresses and the group's coordinator connection are no brokers of their own.
      guard let id = broker["nodeid"]?.integer, id >= 0, broker["source"]?.string != "logical" else { continue }
      statistics.brokersKnown += 1
      // UPDATE: connected, and told about a change.
      if broker["state"]?.string == "UP" || broker["state"]?.string == "UPDATE" { statistics.brokersUp += 1 }
    }
    statistics.queuedMessages = max(0, root["msg_cnt"]?.integer ?? 0)
    statistics.queuedBytes = max(0, root["msg_size"]?.integer ?? 0)
    statistics.rebalances = max(0, root["cgrp"]?["rebalance_cnt"]?.integer ?? 0)
    if client == .consumer { statistics.partitions = partitions(root) }
    return statistics
  }

  private static func partitions(_ root: JSONValue) -> [TopicPartition: KafkaStatistics.Partition] {
    var found: [TopicPartition: KafkaStatistics.Partition] = [:]
    for (topic, body) in root["topics"]?.members ?? [] {
      for (_, part) in body["partitions"]?.members ?? [] {
        // The library keeps an entry -1 of its own, and entries of partitions that are not assigned (any more).
        guard let number = part["partition"]?.integer, let index = Int32(exactly: number), index >= 0,
          part["desired"]?.bool == true
        else { continue }
        found[TopicPartition(topic: topic, partition: index)] = KafkaStatistics.Partition(
          logStart: offset(part, "lo_offset"), stableEnd: offset(part, "ls_offset"),
          nextFetch: offset(part, "next_offset"), fetched: max(0, part["fetchq_cnt"]?.integer ?? 0))
      }
    }
    return found
  }

  /// Negative numbers stand for offsets that are not known.
  private static func offset(_ part: JSONValue, _ name: String) -> Int64? {
    part[name]?.integer.flatMap { value in value >= 0 ? value : nil }
  }
}
