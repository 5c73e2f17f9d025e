// `checkout run`: workers until a signal.

import CheckoutCore
import CheckoutSandbox
import CheckoutStages
import Glibc
import KafkaAdapter
import Operations

/// Runs the stages asked for.
struct RunCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() throws(Problem) -> ExitCode {
    let stages = try StageName.read(context.command.value("stage"))
    let sink = try StreamLogSink()
    defer { sink.close() }
    let log = context.log(sink)
    let saga = try SagaSetup.saga(context.settings)
    let needsAttempts = stages.contains(.facade) || stages.contains(.reconciliation)
    let brokers = try context.brokerList()
    let needsReference = stages.contains(.validation)
    // A file that cannot be used is found before anything is opened.
    if needsReference, context.settings[Setup.reference] != ReferenceSource.topicsName {
      _ = try ReferenceSource.read(context.settings[Setup.reference])
    }
    // Heard from here on: the wait for the brokers has no end of its own.
    let stop = StopRequest()
    try StopSignals.install { signal in
      log.info("stopping", [.signal: .integer(Int64(signal))])
      stop.make()
    }
    let services = needsAttempts ? try Services.open(context, saga: saga, log: log) : nil
    let choice: DeliveryMode?
    do throws(Problem) {
      choice = try DeliveryChoice.resolve(context, brokers: brokers, stop: stop, log: log)
    } catch {
      services?.close([])
      throw error
    }
    guard let delivery = choice else {
      services?.close([])
      return .ok
    }
    let reference: ReferenceSource?
    do throws(Problem) {
      reference = needsReference ? try ReferenceSource.open(context, brokers: brokers, log: log) : nil
    } catch {
      services?.close([])
      throw error
    }
    defer { reference?.stop() }
    let parts = PipelineParts(
      brokers: brokers, topics: context.topics, policy: context.policy, saga: saga,
      ports: services?.ports, reference: reference, instance: context.instance, delivery: delivery,
      incarnation: SystemRandomNumberGenerator.draw())
    if stages.contains(.reconciliation) {
      let parked = ParkedMetrics(try Services.openReader(context), registry: parts.metrics) { [clock = context.clock] in
        Timestamp(nanoseconds: clock.wallNanoseconds())
      }
      parts.metrics.onReading { parked.refresh() }
    }
    let pipeline = try Pipeline(stages, parts, context, log: log)
    defer { services?.close(pipeline.leaseholders) }
    stop.onRequest { pipeline.requestStop() }
    return pipeline.waitForEnd()
  }
}

extension SystemRandomNumberGenerator {
  /// One number nobody could have foreseen: tells two starts of a worker apart.
  static func draw() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}

extension Services {
  /// The ports of stages that work on attempts.
  var ports: AttemptPorts {
    AttemptPorts(
      journal: journal, inventory: sandbox.exchange.inventory, payment: sandbox.exchange.payments,
      receipt: sandbox.exchange.receipts)
  }
}

extension CommandContext {
  /// What validation decides by.
  var policy: ValidationPolicy {
    ValidationPolicy(
      livemode: settings[Setup.livemode],
      mode: ValidationMode(rawValue: settings[Setup.validationMode]) ?? .failFast,
      limits: ValidationLimits(
        quantityMax: Int64(settings[Setup.quantityMax]), linesMax: settings[Setup.linesMax],
        amountMinorMax: Int64(settings[Setup.amountMax]),
        clockSkewMax: SagaSetup.span(settings[Setup.clockSkewMax]),
        paymentMethodTypes: Set(settings[Setup.paymentMethods])))
  }

  /// This process's stable name.
  var instance: String { settings[Setup.instance] ?? ProcessEnvironment.hostName() }
}
