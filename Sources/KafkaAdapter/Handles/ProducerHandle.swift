// The producer client.

import CRdKafka
import Synchronization
import WorkerEngine

/// Why a message was not enqueued.
enum EnqueueProblem {
  /// The local queue is full: serve reports, wait and try again.
  case full
  case failed(KafkaError)
}

/// Owner of a producer. Everything but `destroy` and `sendAhead` is called by one thread.
// SAFETY: the client is made here and belongs to this object alone. librdkafka clients and `topics` are thread-safe; the ledger
// is used by the one serving thread (see there for the exceptions), and `destroy` only after the other threads have ended.
@safe final class ProducerHandle: @unchecked Sendable {
  let client: OpaquePointer
  private let callbacks: ClientCallbacks
  private let ledger = DeliveryLedger()
  private let topics: TopicHandles
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
    topics = unsafe TopicHandles(client: client)
    // SAFETY: the client exists; the library copies the payload and writes it to an open, non-blocking descriptor.
    let queue = unsafe rd_kafka_queue_get_main(client)
    var one: UInt64 = 1
    unsafe rd_kafka_queue_io_event_enable(queue, wake.descriptor, &one, 8)
    unsafe rd_kafka_queue_destroy(queue)
  }

  deinit { destroy() }

  /// Opens a batch: its outputs' bytes are kept until every report is in. The batch opened before is retired.
  func open(_ outputs: [Output]) -> UInt { ledger.open(outputs) }

  /// Takes over a batch whose first `sent` outputs have been sent ahead; nil: none were. Returns its number.
  func adopt(_ batch: UInt?, _ outputs: [Output], sent: Int) -> UInt {
    let batch = batch ?? ledger.makeNumber()
    ledger.adopt(batch, outputs, sent: sent)
    return batch
  }

  /// Nobody asks for the batch any more; its bytes are kept until the last report.
  func retire(_ batch: UInt) { ledger.retire(batch) }

  /// A number for a batch that is to be sent ahead. Any thread.
  func makeBatchNumber() -> UInt { ledger.makeNumber() }

  /// Hands outputs to the library until one is not taken; returns how many were. Their values are kept, so that the array may go.
  /// One thread, which may be another one than that of all other calls; never blocks.
  func sendAhead(_ outputs: [Output], _ indices: Range<Int>, batch: UInt) -> Int {
    let queued = push(outputs, indices, batch: batch).queued
    var kept: [[UInt8]] = []
    var last: UnsafePointer<UInt8>?
    for index in indices.prefix(queued) {
      // Values of one stretch share their array.
      // SAFETY: addresses are compared only.
      let address = unsafe outputs[index].parts.storage.withUnsafeBufferPointer { buffer in buffer.baseAddress }
      guard unsafe address != last else { continue }
      unsafe last = unsafe address
      kept.append(outputs[index].parts.storage)
    }
    ledger.keep(kept, of: batch)
    return queued
  }

  /// Hands messages of a batch to the library until one is not taken. Returns how many were, and what came of the next one; nil:
  /// all were taken.
  func enqueue(_ outputs: [Output], _ indices: Range<Int>, batch: UInt) -> (queued: Int, stop: EnqueueProblem?) {
    let (queued, code) = push(outputs, indices, batch: batch)
    // Reports are served by this thread, so none of these can have come yet.
    ledger.sent(queued, batch: batch)
    switch code {
    case RD_KAFKA_RESP_ERR_NO_ERROR: return (queued, nil)
    case RD_KAFKA_RESP_ERR__QUEUE_FULL: return (queued, .full)
    default: return (queued, .failed(fatalError ?? KafkaError(code)))
    }
  }

  private func push(
    _ outputs: [Output], _ indices: Range<Int>, batch: UInt
  ) -> (queued: Int, code: rd_kafka_resp_err_t) {
    // Through a span an element is read in place; the array would copy it, counting a reference for each of its parts.
    let outputs = outputs.span
    var index = indices.lowerBound
    var code = RD_KAFKA_RESP_ERR_NO_ERROR
    while index < indices.upperBound, code == RD_KAFKA_RESP_ERR_NO_ERROR {
      // Outputs come in runs of one topic.
      let name = outputs[index].topic
      let topic = unsafe topics[name]
      repeat {
        code = unsafe enqueue(outputs[index], topic, token: DeliveryLedger.token(batch: batch, index: index))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { break }
        index += 1
      } while index < indices.upperBound && outputs[index].topic == name
    }
    return (index - indices.lowerBound, code)
  }

  private func enqueue(_ output: Output, _ topic: OpaquePointer?, token: UInt) -> rd_kafka_resp_err_t {
    let opaque = unsafe UnsafeMutableRawPointer(bitPattern: token)
    // SAFETY: the key is copied by the library. The value is read in place later: the ledger keeps the output, so its
    // array (native, never changed) stays where it is until the report or the client's end.
    return unsafe output.parts.withPointers { key, keySize, value, valueSize in
      guard !output.headers.isEmpty else {
        return unsafe shim_produce(client, topic, key, keySize, value, valueSize, nil, opaque)
      }
      let headers = HeadersHandle(output.headers)
      let code = unsafe shim_produce(client, topic, key, keySize, value, valueSize, headers.pointer, opaque)
      if code == RD_KAFKA_RESP_ERR_NO_ERROR { headers.giveAway() }
      return code
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

  /// Reports still to come for a batch.
  func outstanding(batch: UInt) -> Int { ledger.outstanding(batch: batch) }

  /// False while the report of a message of the opened batch is still to come.
  func hasReport(_ index: Int, batch: UInt) -> Bool { ledger.hasReport(index, batch: batch) }

  /// Takes the failures reported so far for a batch.
  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] { ledger.takeFailures(batch: batch) }

  /// The error after which the client is of no more use; nil while it is.
  var fatalError: KafkaError? { unsafe fatalErrorOf(client) }

  /// Ends the client. Idempotent; may take some seconds.
  func destroy() {
    guard !isDestroyed else { return }
    isDestroyed = true
    // SAFETY: nobody else uses the client any more; topics go before it.
    topics.destroy()
    unsafe rd_kafka_destroy(client)
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

extension KeyAndValue {
  /// Addresses and numbers of both's bytes: nil for none, a valid address even for zero bytes (null is not empty).
  @inline(__always)
  func withPointers<Result>(
    _ body: (_ key: UnsafeRawPointer?, _ keySize: Int, _ value: UnsafeRawPointer?, _ valueSize: Int) -> Result
  ) -> Result {
    // SAFETY: the ranges lie inside their arrays, which live for the call; an array without bytes has no address, and no
    // byte is read from one with size 0.
    unsafe storage.withUnsafeBytes { values in
      unsafe (keyStorage ?? storage).withUnsafeBytes { keys in
        var nothing: UInt8 = 0
        return unsafe withUnsafePointer(to: &nothing) { nothing in
          let nothing = unsafe UnsafeRawPointer(nothing)
          let key = unsafe keys.baseAddress?.advanced(by: Int(keyStart)) ?? nothing
          let value = unsafe values.baseAddress?.advanced(by: Int(valueStart)) ?? nothing
          return unsafe body(
            keyCount < 0 ? nil : key, Int(max(0, keyCount)), valueCount < 0 ? nil : value, Int(max(0, valueCount)))
        }
      }
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
