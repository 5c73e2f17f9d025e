// Requests, ids and limits that the saga's tests start from.

import CheckoutCore
import Testing

/// Builds what the saga's tests need; everything starts at noon.
enum SagaSample {
  static let noon = SampleRequest.noon

  /// Not cryptographic, but no two inputs of these tests meet.
  static let identifiers = Identifiers { bytes in
    var digest: [UInt8] = []
    for seed: UInt64 in [0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15] {
      var hash = seed
      for byte in bytes {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        hash ^= hash >> 29
      }
      for shift in stride(from: UInt64(0), to: 64, by: 8) { digest.append(UInt8(truncatingIfNeeded: hash >> shift)) }
    }
    return digest
  }

  /// A valid request for 9038 minor units, or for nothing.
  static func request(
    key: String = "key-0000000000000001", capture: CheckoutRequest.Capture = .automatic, isFree: Bool = false,
    expiresAfter: TimeSpan? = nil
  ) throws -> ValidatedRequest {
    var sample = SampleRequest()
    sample.idempotencyKey = key
    sample.payment = CheckoutRequest.Payment(methodToken: "pm_tok_visa_ok", methodType: "card", capture: capture)
    sample.expiresAt = expiresAfter.map { noon + $0 }
    if isFree {
      sample.lines = [SampleRequest.line("1", sku: "SKU-FREE", quantity: 1, price: 0)]
      sample.shippingMinor = 0
      sample.expectedTotalMinor = 0
    }
    return try #require(ValidatedRequest(readmitting: sample.request))
  }

  static func position(_ topic: String, _ offset: Int) -> Position {
    Position(topic: topic, partition: 0, offset: Int64(offset), timestampMilliseconds: 0)
  }

  static func euro(_ minor: Int64) throws -> Amount {
    Amount(minor: minor, currency: try #require(Currency(code: "EUR")))
  }

  static func yen(_ minor: Int64) throws -> Amount {
    Amount(minor: minor, currency: try #require(Currency(code: "JPY")))
  }

  static func traits(
    confirms: Bool = true, chargeWindow: TimeSpan = .hours(24), compensationWindow: TimeSpan = .hours(24),
    receiptWindow: TimeSpan = .hours(24), lag: TimeSpan = .zero
  ) -> ProviderTraits {
    ProviderTraits(
      inventoryConfirms: confirms,
      payment: PaymentTraits(
        chargeKeyWindow: chargeWindow, compensationKeyWindow: compensationWindow, cachesServerErrors: false,
        lookUpLag: lag),
      receiptKeyWindow: receiptWindow)
  }
}

/// Random numbers from a seed, so that a failing schedule comes again.
struct Dice {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// 0 ..< `limit`.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  /// True in `percent` of a hundred cases.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}
