// What librdkafka calls: log, statistics, errors and delivery reports, handed to Swift closures.

import CRdKafka
import Operations

/// The receiver of one client's callbacks. The client's handle keeps it alive for as long as the client lives.
final class ClientCallbacks: Sendable {
  private let settings: KafkaSettings
  private let limiter: RateLimiter
  /// Producers only.
  let ledger: DeliveryLedger?

  init(settings: KafkaSettings, ledger: DeliveryLedger?) {
    self.settings = settings
    self.ledger = ledger
    // An unreachable broker must not flood the log.
    limiter = RateLimiter(burst: settings.logLinesPerMinuteMax, windowNanoseconds: 60_000_000_000)
  }

  /// Shows a line, unless its facility has had its share. Any thread.
  func log(level: Int, facility: String, client: String, text: String) {
    // A property given for consumers and producers alike is no news for the one that does not use it.
    if facility == "CONFWARN", text.contains("property and will be ignored") { return }
    guard let left = limiter.admit(facility, at: monotonicNanoseconds()) else { return }
    settings.log(KafkaLogLine(level: level, facility: facility, client: client, text: text, suppressed: left))
  }

  /// Hands statistics on.
  func statistics(_ json: String) {
    guard let read = StatisticsReader.read(json) else {
      return log(level: 4, facility: "STATS", client: "", text: "the library's statistics could not be read")
    }
    settings.statistics(read)
  }

  /// Registers the C functions. Precondition: `self` outlives the client made of `configuration`.
  func install(in configuration: OpaquePointer) {
    // SAFETY: unretained, because the handle that owns the client owns us too and destroys the client first.
    unsafe rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
    unsafe rd_kafka_conf_set_log_cb(configuration) { client, level, facility, text in
      guard let client = unsafe client, let facility = unsafe facility, let text = unsafe text,
        let receiver = unsafe ClientCallbacks.of(rd_kafka_opaque(client))
      else { return }
      // SAFETY: the strings live for the call.
      unsafe receiver.log(
        level: Int(level), facility: String(cString: facility), client: String(cString: rd_kafka_name(client)),
        text: String(cString: text))
    }
    guard ledger != nil else { return }
    unsafe rd_kafka_conf_set_dr_msg_cb(configuration) { _, message, opaque in
      guard let message = unsafe message, let opaque = unsafe opaque else { return }
      // SAFETY: see `of`; called for each message, so without counting a reference. The message lives for the call;
      // `_private` is the token given when it was produced.
      unsafe Unmanaged<ClientCallbacks>.fromOpaque(opaque)._withUnsafeGuaranteedRef { receiver in
        unsafe receiver.ledger?.report(token: UInt(bitPattern: message.pointee._private), code: message.pointee.err)
      }
    }
    unsafe rd_kafka_conf_set_error_cb(configuration) { client, code, reason, opaque in
      guard let client = unsafe client, let receiver = unsafe ClientCallbacks.of(opaque) else { return }
      let text = unsafe reason.map { unsafe String(cString: $0) } ?? ""
      let name = unsafe String(cString: rd_kafka_name(client))
      receiver.log(level: 3, facility: "ERROR", client: name, text: text)
      _ = code
    }
    unsafe rd_kafka_conf_set_stats_cb(configuration) { _, json, size, opaque in
      guard let json = unsafe json, let receiver = unsafe ClientCallbacks.of(opaque) else { return 0 }
      // SAFETY: `size` bytes at `json`, valid for the call.
      let bytes = unsafe UnsafeRawBufferPointer(start: json, count: size)
      receiver.statistics(unsafe String(decoding: bytes, as: UTF8.self))
      return 0
    }
  }

  private static func of(_ opaque: UnsafeMutableRawPointer?) -> ClientCallbacks? {
    guard let opaque = unsafe opaque else { return nil }
    // SAFETY: `install` put the address of a living `ClientCallbacks` there.
    return unsafe Unmanaged<ClientCallbacks>.fromOpaque(opaque).takeUnretainedValue()
  }
}
