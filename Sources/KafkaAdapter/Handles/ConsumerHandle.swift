// The consumer client: membership, assignment and offsets. Messages go through `DataQueue`.

import CRdKafka
import WorkerEngine

/// What the consumer's own queue delivers.
enum ConsumerEvent {
  case assign([TopicPartition])
  case revoke(isLost: Bool)
  case trouble(KafkaError)
}

/// Owner of a consumer. Called by the loop; `committed` and the commit calls by the commit thread.
// SAFETY: the client is made here and belongs to this object alone. librdkafka clients are thread-safe; `queue` and
// `isDestroyed` are used by the loop, and `destroy` is called when no other thread uses the client. Lists and queues given
// to a call are owned by handles that outlive it.
@safe final class ConsumerHandle: @unchecked Sendable {
  private let client: OpaquePointer
  private let callbacks: ClientCallbacks
  private var queue: QueueHandle?
  private var isDestroyed = false

  /// `group` nil: a reader that assigns itself. `wake` rings when the consumer's own queue has something.
  init(settings: KafkaSettings, group: KafkaGroupSettings?, wake: WakeDescriptor) throws(KafkaError) {
    callbacks = ClientCallbacks(settings: settings, ledger: nil)
    let configuration = ConfigurationHandle()
    try configuration.apply(settings, defaults: ClientDefaults.consumer)
    try configuration.set(KafkaProperty("group.id", group?.group ?? "checkout-reader"))
    // A reader wants to know when it has seen all there is; a worker never asks.
    if group == nil { try configuration.set(KafkaProperty("enable.partition.eof", "true")) }
    if let instance = group?.instanceID { try configuration.set(KafkaProperty("group.instance.id", instance)) }
    configuration.deliverEvents(RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_STATS)
    unsafe client = try configuration.makeClient(RD_KAFKA_CONSUMER, callbacks: callbacks)
    // SAFETY: the queue reference is given back before the client ends.
    unsafe rd_kafka_poll_set_consumer(client)
    queue = unsafe QueueHandle(rd_kafka_queue_get_consumer(client), wake: wake)
  }

  deinit { destroy() }

  // MARK: Events

  /// The next event of the consumer's own queue; never blocks unless `waitMilliseconds` says so.
  func nextEvent(waitMilliseconds: Int32 = 0) -> ConsumerEvent? {
    while let event = queue?.next(waitMilliseconds: waitMilliseconds) {
      switch event.type {
      case RD_KAFKA_EVENT_REBALANCE:
        return rebalance(event)
      case RD_KAFKA_EVENT_ERROR:
        let fatal = unsafe fatalErrorOf(client)
        return .trouble(fatal ?? KafkaError(event.code, detail: event.errorText))
      case RD_KAFKA_EVENT_STATS:
        callbacks.statistics(event.statistics)
      default:
        // Messages come here only before their queue is forwarded; errors about partitions come here as well.
        if let error = event.messageErrors.first { return .trouble(error) }
      }
    }
    return nil
  }

  private func rebalance(_ event: EventHandle) -> ConsumerEvent {
    switch event.code {
    case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS:
      return .assign(event.partitions.map(\.partition))
    case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
      return .revoke(isLost: isAssignmentLost)
    default:
      unassign()
      return .trouble(KafkaError(event.code, detail: "rebalance failed: \(event.errorText)"))
    }
  }

  /// True if the group has given our partitions to others already. May say false although they are gone.
  var isAssignmentLost: Bool { unsafe rd_kafka_assignment_lost(client) != 0 }

  /// Says something through the client's log.
  func log(level: Int, facility: String, _ text: String) {
    callbacks.log(level: level, facility: facility, client: "consumer", text: text)
  }

  // MARK: Membership and assignment

  /// The present membership; nil if there is none.
  func membership() -> GroupMembershipHandle? {
    // SAFETY: a copy of our own, destroyed by the handle.
    guard let metadata = unsafe rd_kafka_consumer_group_metadata(client) else { return nil }
    return unsafe GroupMembershipHandle(metadata)
  }

  /// Joins the group.
  func subscribe(_ topics: [String]) -> KafkaError? {
    let list = PartitionListHandle(topics.map { PartitionState(partition: TopicPartition(topic: $0, partition: -1)) })
    return unsafe .unlessOK(rd_kafka_subscribe(client, list.pointer))
  }

  /// Starts consumption at the given offsets, messages going to the queue returned.
  func assign(_ states: [PartitionState], wake: WakeDescriptor) -> Result<DataQueue, KafkaError> {
    let data = unsafe DataQueue(client: client, partitions: states.map(\.partition), wake: wake)
    let list = PartitionListHandle(states)
    if let error = unsafe KafkaError.unlessOK(rd_kafka_assign(client, list.pointer)) { return .failure(error) }
    return .success(data)
  }

  /// Gives all partitions back; the answer to ASSIGN and REVOKE alike.
  func unassign() {
    // SAFETY: a nil list means none.
    _ = unsafe rd_kafka_assign(client, nil)
  }

  /// Stops the delivery of partitions.
  func pause(_ partitions: [TopicPartition]) {
    let list = PartitionListHandle(partitions.map { PartitionState(partition: $0) })
    _ = unsafe rd_kafka_pause_partitions(client, list.pointer)
  }

  /// Restarts the delivery of partitions.
  func resume(_ partitions: [TopicPartition]) {
    let list = PartitionListHandle(partitions.map { PartitionState(partition: $0) })
    _ = unsafe rd_kafka_resume_partitions(client, list.pointer)
  }

  // MARK: Offsets

  /// The committed offsets and metadata; blocks up to the limit.
  func committed(_ partitions: [TopicPartition], limitMilliseconds: Int32) -> Result<[PartitionState], KafkaError> {
    guard !partitions.isEmpty else { return .success([]) }
    let list = PartitionListHandle(partitions.map { PartitionState(partition: $0) })
    let code = unsafe rd_kafka_committed(client, list.pointer, limitMilliseconds)
    if let error = KafkaError.unlessOK(code) { return .failure(error) }
    let states = list.states
    if let error = states.lazy.compactMap(\.error).first { return .failure(error) }
    return .success(states)
  }

  /// Asks for a commit; the answer comes to `answers`. Never blocks.
  func commit(_ states: [PartitionState], answers: QueueHandle) -> KafkaError? {
    let list = PartitionListHandle(states)
    // SAFETY: the library copies the list; without a callback the answer is an event.
    return unsafe .unlessOK(rd_kafka_commit_queue(client, list.pointer, answers.pointer, nil, nil))
  }

  /// A queue for commit answers.
  func makeQueue(wake: WakeDescriptor?) -> QueueHandle {
    unsafe QueueHandle(rd_kafka_queue_new(client), wake: wake)
  }

  /// First offset there is and next one to come; blocks up to the limit.
  func watermarks(of partition: TopicPartition, limitMilliseconds: Int32) -> Result<Range<Int64>, KafkaError> {
    var low: Int64 = 0
    var high: Int64 = 0
    let code = unsafe rd_kafka_query_watermark_offsets(
      client, partition.topic, partition.partition, &low, &high, limitMilliseconds)
    if let error = KafkaError.unlessOK(code) { return .failure(error) }
    return .success(low..<max(low, high))
  }

  /// The first offset at or after each time (milliseconds since the epoch); blocks up to the limit.
  func offsets(
    of partitions: [TopicPartition], at timestamp: Int64, limitMilliseconds: Int32
  ) -> Result<[PartitionState], KafkaError> {
    let list = PartitionListHandle(partitions.map { PartitionState(partition: $0, offset: timestamp) })
    let code = unsafe rd_kafka_offsets_for_times(client, list.pointer, limitMilliseconds)
    if let error = KafkaError.unlessOK(code) { return .failure(error) }
    return .success(list.states)
  }

  /// Partition count of a topic; blocks up to the limit.
  func partitionCount(of topic: String, limitMilliseconds: Int32) -> Result<Int, KafkaError> {
    unsafe MetadataQuery.partitionCount(of: topic, client: client, limitMilliseconds: limitMilliseconds)
  }

  // MARK: End

  /// Starts leaving the group; REVOKE still has to be answered.
  func beginClose() {
    guard let queue else { return }
    // SAFETY: an error object is ours to destroy.
    if let error = unsafe rd_kafka_consumer_close_queue(client, queue.pointer) { unsafe rd_kafka_error_destroy(error) }
  }

  /// True once the group has been left.
  var isClosed: Bool { unsafe rd_kafka_consumer_closed(client) != 0 }

  /// Ends the client. Idempotent; may take some seconds. Precondition: no other thread uses it, data queues are gone.
  func destroy() {
    guard !isDestroyed else { return }
    isDestroyed = true
    queue = nil
    // SAFETY: the last use of the client.
    unsafe rd_kafka_destroy_flags(client, isClosed ? 0 : RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
  }
}

extension ConsumerHandle {
  /// Keeps the client for the rest of the process, because it could not be ended in time.
  func abandon() {
    // SAFETY: an intended leak: the reference is never released.
    _ = unsafe Unmanaged.passRetained(self)
  }
}
