// Journal, services and reference data as the settings name them.

import CheckoutCore
import CheckoutSandbox
import CheckoutWire
import JournalQueue
import Operations
import SQLiteAdapter

/// What facade and reconciliation work with, opened once for the process.
struct Services {
  let journal: any HostedJournal
  let sandbox: SandboxThread
  let ledger: any SandboxLedger

  /// Opens journal and sandbox.
  static func open(_ context: CommandContext, saga: SagaSettings, log: Log) throws(Problem) -> Services {
    let journal = try JournalLocation(context.settings).open(context)
    let ledger = try openLedger(context.settings[Setup.gateways], context)
    let sandbox = try startSandbox(ledger, context, saga: saga, log: log)
    return Services(journal: journal, sandbox: sandbox, ledger: ledger)
  }

  private static func openLedger(_ location: String, _ context: CommandContext) throws(Problem) -> any SandboxLedger {
    if location == "sandbox" { return InMemorySandboxLedger() }
    guard location.hasPrefix("sandbox:"), location.count > "sandbox:".count else {
      throw .usage(
        "gateways.location = \"\(location)\" (from \(context.settings.origin(of: Setup.gateways))): must be "
          + "sandbox or sandbox:LEDGER",
        remedy: "use --gateways sandbox:ledger.db")
    }
    let path = String(location.dropFirst("sandbox:".count))
    do throws(DatabaseOpenProblem) {
      return try SQLiteSandboxLedger(path: path, missing: .create)
    } catch {
      throw .environment("sandbox ledger \(path): \(error.description)", remedy: "check --gateways")
    }
  }

  private static func startSandbox(
    _ ledger: any SandboxLedger, _ context: CommandContext, saga: SagaSettings, log: Log
  ) throws(Problem) -> SandboxThread {
    let clock = context.clock
    let settings = context.settings
    let network = SandboxNetwork(
      latencyMax: SagaSetup.span(settings[Setup.sandboxLatency]), seed: UInt64(settings[Setup.sandboxSeed]))
    do throws(ThreadProblem) {
      return try SandboxThread(
        ledger: ledger,
        settings: SandboxSettings(
          holdDuration: SagaSetup.span(settings[Setup.sandboxHold]),
          keyWindow: SagaSetup.span(settings[Setup.sandboxKeyWindow]), lostReplyAfter: saga.callTotalTimeout,
          slowChargeAfter: SagaSetup.span(settings[Setup.sandboxSlowCharge])),
        network: network,
        clock: SandboxClock(
          now: { Timestamp(nanoseconds: clock.wallNanoseconds()) },
          boot: { BootTime(nanoseconds: clock.bootNanoseconds()) }),
        outages: OutageFile.source(settings, log: log))
    } catch {
      throw .environment(error.description)
    }
  }

  /// Ends the services and the workers' leases (the next owner need not wait for their end), then closes the journal:
  /// everything accepted is durable.
  func close(_ leaseholders: [WorkerID]) {
    sandbox.stop()
    let ends = leaseholders.enumerated().map { JournalRequest(id: UInt64($0.offset), command: .endLease($0.element)) }
    journal.submit(ends) { _ in }
    journal.close()
  }
}
