// One request from bytes to a validated event's bytes on one core: the pipeline's way and Foundation's Codable, in turns.
import CheckoutCore
import CheckoutWire
import FoundationEssentials

enum JSONBenchmark {
  private static let sample =
    #"{"schema_version":1,"checkout_id":"chk_000001","idempotency_key":"5f0c2a52-3c1e-4a0b-9a51-000000000001","#
    + #""merchant_id":"shop-eu","account_id":"acct_7781","email":"ana@example.com","locale":"de-DE","currency":"EUR","#
    + #""items":[{"line_id":"1","sku":"SKU-RED-42","quantity":2,"unit_price_minor":1999,"title":"Red mug"},"#
    + #"{"line_id":"2","sku":"SKU-BLU-7","quantity":1,"unit_price_minor":4550,"title":"Blue teapot"}],"tax_minor":0,"#
    + #""shipping_minor":490,"expected_total_minor":9038,"shipping_address":{"name":"Ana Krüger","#
    + #""line1":"Hauptstr. 5","city":"Berlin","postal_code":"10115","country":"DE"},"payment":{"#
    + #""method_token":"pm_tok_visa_ok","method_type":"card","capture":"automatic"},"#
    + #""requested_at":"2026-11-30T12:00:00.123Z","livemode":false}"#

  private struct Measured {
    let name: String
    /// Requests in one call of `work`.
    var batch = 1
    let work: () throws -> Int
    var nanoseconds: [Double] = []

    var median: Double { nanoseconds.sorted()[nanoseconds.count / 2] }
  }

  /// Prints microseconds per request and ratios; the first argument is the number of rounds (default 7), the second
  /// keeps only the ways whose name contains it, for a profiler.
  static func run(_ arguments: [String]) throws {
    let rounds = max(1, arguments.first.flatMap { Int($0) } ?? 7)
    var ways = try makeWays().filter { arguments.count < 2 || $0.name.contains(arguments[1]) }
    guard !ways.isEmpty else { return print("no way has \(arguments[1]) in its name") }
    for index in ways.indices { _ = try measure(ways[index], count: 500) }
    for _ in 0..<rounds {
      for index in ways.indices { ways[index].nanoseconds.append(try measure(ways[index], count: 5000)) }
    }
    print("one request of \(sample.utf8.count) bytes, one core, median of \(rounds) rounds taken in turns")
    let peer = ways[0].median
    for way in ways {
      print("\(decimal(way.median / 1000, width: 8)) µs  \(decimal(peer / way.median, width: 7))×  \(way.name)")
    }
  }

  // Two decimals, right-aligned.
  private static func decimal(_ value: Double, width: Int) -> String {
    let hundredths = Int((value * 100).rounded())
    let text = "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private static func measure(_ way: Measured, count: Int) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    var bytes = 0
    for _ in 0..<count / way.batch { bytes += try way.work() }
    let (seconds, attoseconds) = (clock.now - start).components
    precondition(bytes > 0)
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }

  private static func makeWays() throws -> [Measured] {
    let bytes = Array(sample.utf8)
    let data = Data(bytes)
    let world = try World()
    let full = InboundDecoder()
    let plain = InboundDecoder(withFingerprint: false)
    let message = InboundMessage(value: bytes[...], headers: [])
    let stage = try StageWay(sample: sample, reference: world.context.reference, time: world.time)
    return [
      Measured(name: "Foundation Codable: decode + encode, nothing checked") { try codable(data) },
      Measured(name: "ours: decode + fingerprint + validate + encode") { world.pass(full.decode(message)) },
      Measured(name: "ours: decode + validate + encode, no fingerprint") { world.pass(plain.decode(message)) },
      Measured(name: "ours: the validation stage's whole work, ids, headers and outputs too", batch: StageWay.batch) {
        stage.pass()
      },
      Measured(name: "ours: decode + fingerprint") { full.decode(message).size },
      Measured(name: "ours: decode") { plain.decode(message).size },
      Measured(name: "ours: parse only") { try JSONDocument(parsing: bytes[...]).tokenCount },
    ]
  }

  private static func codable(_ data: Data) throws -> Int {
    let request = try JSONDecoder().decode(CodableRequest.self, from: data)
    let event = CodableValidated(
      schemaVersion: 1, checkoutID: request.checkoutID, merchantID: request.merchantID,
      idempotencyKey: request.idempotencyKey, fingerprint: "1:", decidedAt: "2026-11-30T12:00:00Z",
      referenceVersion: "bench", request: request)
    return try JSONEncoder().encode(event).count
  }
}

// What a validation stage has at hand.
private struct World {
  private let chain: ValidationChain
  let context: CheckContext
  private let encoder = EventEncoder()
  let time = Timestamp(milliseconds: 1_796_040_001_000)

  init() throws {
    chain = try ValidationChain(policy: ValidationPolicy(livemode: false))
    let account = AccountEntry(key: AccountKey(merchantID: "shop-eu", accountID: "acct_7781"), status: .enabled)
    let prices = [("SKU-RED-42", Int64(1999)), ("SKU-BLU-7", 4550)].map {
      PriceEntry(key: PriceKey(merchantID: "shop-eu", sku: $0.0, currency: "EUR"), unitPriceMinor: $0.1)
    }
    context = CheckContext(
      now: time, reference: ReferenceData(version: ReferenceVersion("bench"), accounts: [account], prices: prices))
  }

  // Bytes of the validated event; 0 would be a fault of the benchmark.
  func pass(_ inbound: Inbound) -> Int {
    guard case .request(let request) = inbound, case .accepted(let validated) = chain.run(request.request, in: context)
    else { preconditionFailure("the sample does not pass") }
    let position = Position(
      topic: "checkout.requests", partition: 0, offset: 1, timestampMilliseconds: time.milliseconds)
    let event = PipelineEvent(
      id: "0123456789abcdef0123456789abcdef", type: .validated, origin: Origin(position), time: time,
      subject: EventSubject(validated.identity), trace: request.trace,
      body: .validated(
        requestJSON: request.requestJSON, fingerprint: request.fingerprint,
        Decision(at: time, referenceVersion: context.reference.version)))
    return encoder.encode(event).valuePlace.count
  }
}

extension Inbound {
  fileprivate var size: Int {
    guard case .request(let request) = self else { preconditionFailure("the sample does not decode") }
    return request.requestJSON.count
  }
}
