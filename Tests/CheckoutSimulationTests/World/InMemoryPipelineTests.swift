// The world itself: its time, its workers, and that it repeats itself.

import CheckoutCore
import CheckoutSimulation
import CheckoutWire
import Testing
import WorkerEngine

@Suite("In-memory pipeline")
struct InMemoryPipelineTests {
  private static func settings() -> PipelineSettings {
    PipelineSettings(reference: ReferenceData(version: ReferenceVersion("test"), accounts: [], prices: []))
  }

  /// Nobody knows its account: rejected by the facade.
  private static let request =
    #"{"schema_version":1,"checkout_id":"chk_1","idempotency_key":"key-0123456789-1","merchant_id":"m","#
    + #""account_id":"a","currency":"EUR","items":[{"line_id":"1","sku":"S","quantity":1,"unit_price_minor":100}],"#
    + #""tax_minor":0,"shipping_minor":0,"expected_total_minor":100,"shipping_address":{"name":"Ana","line1":"1","#
    + #""city":"Berlin","postal_code":"10115","country":"DE"},"payment":{"method_token":"t","method_type":"card","#
    + #""capture":"automatic"},"requested_at":"2026-11-30T12:00:00Z","livemode":false}"#

  @Test("without workers time passes, exactly as much as asked, and nothing happens")
  func empty() {
    let pipeline = InMemoryPipeline(Self.settings())
    pipeline.send(.requests, key: Bytes("chk_1"), value: Bytes(Self.request))
    let before = pipeline.now
    pipeline.run(for: .seconds(7))
    #expect(pipeline.now - before == .seconds(7))
    #expect(!pipeline.isQuiet)
    #expect(!pipeline.settle(atMost: .seconds(1)))
  }

  @Test("a message passes validation and facade, and then it is quiet")
  func passes() throws {
    let pipeline = InMemoryPipeline(Self.settings())
    try pipeline.startAll()
    pipeline.send(.requests, key: Bytes("chk_1"), value: Bytes(Self.request))
    #expect(pipeline.settle(atMost: .seconds(10)))
    #expect(pipeline.log(.rejections).map { $0.header("ce_type") } == ["checkout.rejected"])
    #expect(pipeline.log(.rejections).first?.valueText.contains("unknown_account") == true)
  }

  @Test("a suspended worker does nothing; a killed one is gone, and the next has another name")
  func workers() throws {
    let pipeline = InMemoryPipeline(Self.settings())
    let first = try pipeline.start(.validation)
    pipeline.run(for: .seconds(1))
    first.isSuspended = true
    pipeline.send(.requests, key: Bytes("chk_1"), value: Bytes(Self.request))
    pipeline.run(for: .seconds(60))
    #expect(pipeline.log(.validated) == [])
    pipeline.kill(first)
    #expect(pipeline.workers.isEmpty)
    let second = try pipeline.start(.validation)
    pipeline.run(for: .seconds(1))
    #expect(pipeline.log(.validated).count == 1)
    #expect([first.name, second.name] == ["validation-1/1", "validation-1/2"])
  }

  @Test("a stopped worker leaves within its grace")
  func stopped() throws {
    let pipeline = InMemoryPipeline(Self.settings())
    try pipeline.startAll()
    pipeline.run(for: .seconds(1))
    for worker in pipeline.workers { worker.requestStop() }
    #expect(pipeline.run(atMost: .seconds(25)) { pipeline.workers.allSatisfy { $0.status != .running } })
    #expect(pipeline.workers.map(\.status) == Array(repeating: .stopped(unfinished: 0, uncommitted: false), count: 3))
  }
}
