// The producer client.

import CRdKafka
import Synchronization
import WorkerEngine

/// What became of one attempt to enqueue a message.
enum EnqueueResult {
  case queued
  /// The local queue is full: serve reports, wait and try again.
  case full
  case failed(KafkaError)
}

/// Owner of a producer. Everything but `destroy` is called by one thread.
// SAFETY: the client is made here and belongs to this object alone. librdkafka clients are thread-safe; `topics` and the
// ledger are used by the one producing thread, and `destroy` only after that thread has ended.
@safe final class ProducerHandle: @unchecked Sendable {
  let client: OpaquePointer
  private let callbacks: ClientCallbacks
  private let ledger = DeliveryLedger()
  private var topics: [String: OpaquePointer] = unsafe [:]
  private var isDestroyed = false
  /// Rung when reports or other callbacks are waiting.
  let wake = WakeDescriptor()

  /// With `transactionalID`, messages can only be sent inside transactions.
  init(settings: KafkaSettings, transactionalID: String? = nil) throws(KafkaError) {
    callbacks = ClientCallbacks(settings: settings, ledger: ledger)
    let configuration = ConfigurationHandle()
    if let transactionalID {
      try configuration.apply(settings, defaults: ClientDefaults.transactionalProducer)
      try configuration.set(KafkaProperty("transactional.id", transactionalID))
    } else {
      try configuration.apply(settings, defaults: ClientDefaults.producer)
    }
    unsafe client = try configuration.makeClient(RD_KAFKA_PRODUCER, callbacks: callbacks)
    // SAFETY: the client exists; the library copies the payload and writes it to an open, non-blocking descriptor.
    let queue = unsafe rd_kafka_queue_get_main(client)
    var one: UInt64 = 1
    unsafe rd_kafka_queue_io_event_enable(queue, wake.descriptor, &one, 8)
    unsafe rd_kafka_queue_destroy(queue)
  }

  deinit { destroy() }

  /// Opens a batch: its outputs' bytes are kept until every report is in.
  func open(_ outputs: [Output]) -> UInt { ledger.open(outputs) }

  /// Hands a message of the newest batch to the library.
  func enqueue(_ output: Output, batch: UInt, index: Int) -> EnqueueResult {
    let headers = HeadersHandle(output.headers)
    let token = unsafe UnsafeMutableRawPointer(bitPattern: DeliveryLedger.token(batch: batch, index: index))
    // SAFETY: the key is copied by the library. The value is read in place later: the ledger keeps the output, so its
    // array (native, never changed) stays where it is until the report or the client's end.
    let code = unsafe output.key.withPointer { key, keySize in
      unsafe output.value.withPointer { value, valueSize in
        unsafe shim_produce(
          client, topic(output.topic), key, keySize, value, valueSize, headers?.pointer, token)
      }
    }
    switch code {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      headers?.giveAway()
      ledger.sent(batch: batch, index: index)
      return .queued
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
      return .full
    default:
      return .failed(fatalError ?? KafkaError(code))
    }
  }

  /// Runs the callbacks that are waiting; never blocks.
  func serve() {
    // SAFETY: the client exists until `destroy`.
    _ = unsafe rd_kafka_poll(client, 0)
  }

  /// Says something through the client's log.
  func log(level: Int, facility: String, _ text: String) {
    callbacks.log(level: level, facility: facility, client: "producer", text: text)
  }

  /// Reports still to come for the newest batch.
  func outstanding(batch: UInt) -> Int { ledger.outstanding(batch: batch) }

  /// Indices of the newest batch's messages whose reports are still to come.
  func unreported(batch: UInt) -> [Int] { ledger.unreported(batch: batch) }

  /// Takes the failures reported so far for the newest batch.
  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] { ledger.takeFailures(batch: batch) }

  /// The error after which the client is of no more use; nil while it is.
  var fatalError: KafkaError? { unsafe fatalErrorOf(client) }

  /// Ends the client. Idempotent; may take some seconds.
  func destroy() {
    guard !isDestroyed else { return }
    isDestroyed = true
    // SAFETY: nobody else uses the client any more; topics go before it.
    unsafe topics.values.forEach { unsafe rd_kafka_topic_destroy($0) }
    unsafe topics = [:]
    unsafe rd_kafka_destroy(client)
  }

  private func topic(_ name: String) -> OpaquePointer? {
    if let known = unsafe topics[name] { return unsafe known }
    // SAFETY: a new reference, given back in `destroy`.
    let made = unsafe rd_kafka_topic_new(client, name, nil)
    unsafe topics[name] = made
    return unsafe made
  }
}

/// The fatal error a client has met, if any.
func fatalErrorOf(_ client: OpaquePointer) -> KafkaError? {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer -> KafkaError? in
    // SAFETY: the buffer is announced with its size.
    let code = unsafe rd_kafka_fatal_error(client, buffer.baseAddress, buffer.count)
    guard code != RD_KAFKA_RESP_ERR_NO_ERROR, let start = buffer.baseAddress else { return nil }
    let error = KafkaError(code, detail: unsafe String(cString: start))
    let reaction: KafkaError.Reaction = error.reaction == .fenced ? .fenced : .clientBroken
    return KafkaError(code: error.code, reaction: reaction, message: error.message)
  }
}

extension Optional<Bytes> {
  /// The bytes' address and number: nil for none, a valid address even for zero bytes (null is not empty).
  func withPointer<Result>(_ body: (UnsafeRawPointer?, Int) -> Result) -> Result {
    guard let self else { return body(nil, 0) }
    guard self.count > 0 else {
      var nothing: UInt8 = 0
      // SAFETY: no byte is read from an address with count 0.
      return unsafe withUnsafePointer(to: &nothing) { unsafe body(UnsafeRawPointer($0), 0) }
    }
    // SAFETY: `Bytes` guarantees that its range lies inside the array.
    return unsafe self.storage.withUnsafeBytes { buffer in
      unsafe body(buffer.baseAddress?.advanced(by: self.start), self.count)
    }
  }
}

extension EnqueueResult {
  /// True if the library has taken the message.
  var isQueued: Bool {
    switch self {
    case .queued: true
    case .full, .failed: false
    }
  }
}

extension ProducerHandle {
  /// Keeps the client and everything it reads for the rest of the process, because a call inside it may never return.
  func abandon() {
    // SAFETY: an intended leak: the reference is never released.
    _ = unsafe Unmanaged.passRetained(self)
  }
}
