// What the cluster says about itself.

import CRdKafka

/// Questions any client can ask.
enum MetadataQuery {
  /// Partition count of a topic that exists; blocks up to the limit.
  static func partitionCount(
    of topic: String, client: OpaquePointer, limitMilliseconds: Int32
  ) -> Result<Int, KafkaError> {
    // SAFETY: our reference, given back below.
    let handle = unsafe rd_kafka_topic_new(client, topic, nil)
    defer { if let handle = unsafe handle { unsafe rd_kafka_topic_destroy(handle) } }
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let code = unsafe rd_kafka_metadata(client, 0, handle, &metadata, limitMilliseconds)
    if let error = KafkaError.unlessOK(code) { return .failure(error) }
    guard let metadata = unsafe metadata else { return .failure(.environment("no metadata for \(topic)")) }
    defer { unsafe rd_kafka_metadata_destroy(metadata) }
    guard unsafe metadata.pointee.topic_cnt > 0 else { return .failure(.environment("no metadata for \(topic)")) }
    // SAFETY: at least one topic is announced.
    let entry = unsafe metadata.pointee.topics[0]
    if let error = unsafe KafkaError.unlessOK(entry.err) { return .failure(error.during("topic \(topic)")) }
    return unsafe .success(Int(entry.partition_cnt))
  }
}
