// The client for administrative calls. Each has a deadline, because some brokers never answer.

import CRdKafka

/// Owner of a client that only asks and administers. One thread at a time.
// SAFETY: the client is made here, belongs to this object alone and ends in `deinit`; librdkafka clients are thread-safe and
// the pointer never changes. What a call lends (metadata, plans, options, an event's results) is read before it is given back.
@safe final class AdminHandle: @unchecked Sendable {
  private let client: OpaquePointer
  private let callbacks: ClientCallbacks

  init(settings: KafkaSettings) throws(KafkaError) {
    callbacks = ClientCallbacks(settings: settings, ledger: nil)
    let configuration = ConfigurationHandle()
    try configuration.apply(settings, defaults: ClientDefaults.admin)
    unsafe client = try configuration.makeClient(RD_KAFKA_PRODUCER, callbacks: callbacks)
  }

  deinit {
    // SAFETY: the last use.
    unsafe rd_kafka_destroy(client)
  }

  /// The cluster's id; nil if no broker has told one in time.
  func clusterID(limitMilliseconds: Int32) -> String? {
    // SAFETY: the string is ours and freed with the library's allocator.
    guard let text = unsafe rd_kafka_clusterid(client, limitMilliseconds) else { return nil }
    defer { unsafe rd_kafka_mem_free(client, text) }
    return unsafe String(cString: text)
  }

  /// Partition counts of all topics.
  func topics(limitMilliseconds: Int32) -> Result<[String: Int], KafkaError> {
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let code = unsafe rd_kafka_metadata(client, 1, nil, &metadata, limitMilliseconds)
    if let error = KafkaError.unlessOK(code) { return .failure(error) }
    guard let metadata = unsafe metadata else { return .success([:]) }
    defer { unsafe rd_kafka_metadata_destroy(metadata) }
    var topics: [String: Int] = [:]
    for index in 0..<Int(unsafe metadata.pointee.topic_cnt) {
      // SAFETY: `topic_cnt` topics are announced.
      let topic = unsafe metadata.pointee.topics[index]
      guard unsafe topic.err == RD_KAFKA_RESP_ERR_NO_ERROR, let name = unsafe topic.topic else { continue }
      unsafe topics[String(cString: name)] = Int(topic.partition_cnt)
    }
    return .success(topics)
  }

  /// Asks for topics to be made; one entry per topic: nil if it was made.
  func create(_ topics: [TopicPlan], limitMilliseconds: Int32) -> Result<[String: KafkaError?], KafkaError> {
    var plans: [OpaquePointer?] = unsafe []
    defer { unsafe plans.forEach { unsafe rd_kafka_NewTopic_destroy($0) } }
    for topic in topics {
      guard
        let plan = unsafe rd_kafka_NewTopic_new(
          topic.name, Int32(topic.partitions), Int32(topic.replication ?? -1), nil, 0)
      else { return .failure(.environment("topic \(topic.name): partitions or replication are out of range")) }
      unsafe plans.append(plan)
      if topic.isCompacted { _ = unsafe rd_kafka_NewTopic_set_config(plan, "cleanup.policy", "compact") }
    }
    let queue = unsafe QueueHandle(rd_kafka_queue_new(client), wake: nil)
    let options = unsafe rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_CREATETOPICS)
    defer { unsafe rd_kafka_AdminOptions_destroy(options) }
    _ = unsafe rd_kafka_AdminOptions_set_request_timeout(options, limitMilliseconds, nil, 0)
    // SAFETY: the library copies plans and options.
    unsafe rd_kafka_CreateTopics(client, &plans, plans.count, options, queue.pointer)
    guard let event = queue.next(waitMilliseconds: limitMilliseconds + 500) else {
      return .failure(KafkaError(code: "_TIMED_OUT", reaction: .retry, message: "no answer to CreateTopics in time"))
    }
    return AdminHandle.results(of: event)
  }

  private static func results(of event: EventHandle) -> Result<[String: KafkaError?], KafkaError> {
    if event.code != RD_KAFKA_RESP_ERR_NO_ERROR {
      return .failure(KafkaError(event.code, detail: event.errorText))
    }
    guard let result = unsafe rd_kafka_event_CreateTopics_result(event.pointer) else { return .success([:]) }
    var count = 0
    let list = unsafe rd_kafka_CreateTopics_result_topics(result, &count)
    var results: [String: KafkaError?] = [:]
    for index in 0..<count {
      // SAFETY: `count` results that belong to the event.
      guard let entry = unsafe list?[index], let name = unsafe rd_kafka_topic_result_name(entry) else { continue }
      let detail = unsafe rd_kafka_topic_result_error_string(entry).map { unsafe String(cString: $0) }
      let code = unsafe rd_kafka_topic_result_error(entry)
      let error = code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code, detail: detail)
      unsafe results[String(cString: name)] = .some(error)
    }
    return .success(results)
  }
}
