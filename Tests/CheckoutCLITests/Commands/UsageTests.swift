// What a person sees who types something wrong: one line that says what, one that says what to do, the right exit code.

import Foundation
import Testing

@Suite("Wrong command lines and surroundings")
struct UsageTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let arguments: String
    let code: Int32
    let says: String

    init(_ arguments: String, _ code: Int32, _ says: String) {
      self.arguments = arguments
      self.code = code
      self.says = says
    }

    var testDescription: String { "checkout \(arguments)" }
  }

  /// A worker's whole command line up to the part that is wrong.
  private static let run = "run --brokers localhost:9 --reference samples/reference.json --journal sqlite:FOLDER/j.db"

  private static let usage = [
    Case(
      "migrate --journal postgres://u:hunter2@db/checkout", 2,
      "the journal's address holds a secret (password), which `ps` and logs would show\n"
        + "  leave it out and use PGPASSFILE (~/.pgpass), PGPASSWORD or a service file (?service=NAME)"),
    Case(
      "journal purge --older-than 7d", 2,
      "--older-than 7d is less than the topics' retention (7d) and a day: a request that can still be read again would be "
        + "charged again\n  name a longer time; if your topics keep less, say so with --topic-retention"),
    Case("journal purge --older-than soon", 2, "--older-than soon is not a time\n  write it like 90d or 36h"),
    Case("frobnicate", 2, "unknown command frobnicate\n  see: checkout help"),
    Case("rn", 2, "unknown command rn; did you mean run?\n  see: checkout help"),
    Case("topics", 2, "topics needs one of: create, check\n  see: checkout help"),
    Case("topics creat", 2, "topics has no creat; did you mean create?\n  see: checkout help"),
    Case("--json demo", 2, "the command comes before its flags: --json\n  see: checkout help"),
    Case("run --stge all", 2, "run has no flag --stge; did you mean --stage?\n  see: checkout run --help"),
    Case("run --brokers", 2, "--brokers needs a value: --brokers HOST:PORT,…\n  see: checkout run --help"),
    Case("demo --json=1", 2, "--json takes no value\n  see: checkout demo --help"),
    Case("demo extra", 2, "demo does not know what to do with extra\n  see: checkout demo --help"),
    Case("submit", 2, "submit needs FILE|-\n  see: checkout submit --help"),
    Case("demo --set foo", 2, "--set foo is not of the form NAME=VALUE\n  see: checkout help"),
    Case(
      "demo --set worker.drian=3s", 2,
      "--set worker.drian: unknown setting worker.drian; did you mean worker.drain?\n  see: checkout config"),
    Case(
      "demo --set worker.drain=soon", 2,
      "worker.drain = \"soon\" (from --set worker.drain): must be a time such as 250ms, 10s or 5m, from 100ms to 250s\n"
        + "  see: checkout config"),
    Case(
      "demo --set worker.in_flight_max=0", 2,
      "worker.in_flight_max = \"0\" (from --set worker.in_flight_max): must be a whole number from 1 to 100000\n"
        + "  see: checkout config"),
    Case(
      "config --delivery twice", 2,
      "worker.delivery = \"twice\" (from --delivery): must be one of auto, exactly-once, at-least-once\n  see: checkout config"
    ),
    Case(
      "run --brokers nowhere", 2,
      "connection.brokers = \"nowhere\" (from --brokers): must be HOST:PORT, several with commas between\n"
        + "  see: checkout config"),
    Case(
      "run", 2,
      "no Kafka brokers given\n  use --brokers HOST:PORT or CHECKOUT_CONNECTION_BROKERS; for local work start: "
        + "checkout broker"),
    Case(
      "submit samples/requests.ndjson", 2,
      "no Kafka brokers given\n  use --brokers HOST:PORT or CHECKOUT_CONNECTION_BROKERS; for local work start: "
        + "checkout broker"),
    Case(
      "run --brokers localhost:0 --reference samples/reference.json", 2,
      "connection.brokers = \"localhost:0\" (from --brokers): port 0 is nobody's\n  see: checkout config"),
    Case(
      "run --stage facad --brokers localhost:9", 2,
      "--stage facad: there is no stage facad; did you mean facade?\n  use validation, facade, reconciliation or all"),
    Case(
      "run --brokers localhost:9", 2,
      "validation needs accounts and prices\n  use --reference FILE, for example samples/reference.json, or --reference topics"
    ),
    Case(
      "submit samples/requests.ndjson --brokers localhost:9 --timeout soon", 2,
      "--timeout soon is not a duration\n  write it like 30s or 2m"),
    Case(
      "submit /dev/null --brokers localhost:9", 2, "/dev/null holds no lines\n  give one JSON object a line"),
    Case(
      "config --set worker.clock_start=noon", 2,
      "worker.clock_start = \"noon\" (from --set worker.clock_start): must be an RFC 3339 time\n"
        + "  write it like 2026-11-30T12:00:00Z"),
    Case(
      "\(run) --journal postgres://x", 2, "--journal is given twice\n  see: checkout run --help"),
    Case(
      "run --stage facade --brokers localhost:9 --journal checkout.db", 2,
      "journal.location = \"checkout.db\" (from --journal): must be sqlite:PATH or postgres://…\n"
        + "  use --journal sqlite:checkout.db or --journal postgres://user@host/database"),
    Case(
      "\(run) --gateways stripe", 2,
      "gateways.location = \"stripe\" (from --gateways): must be sandbox or sandbox:LEDGER\n"
        + "  use --gateways sandbox:ledger.db"),
    Case(
      "\(run) --set saga.lease=1s", 2,
      "saga.not_after_margin = 1s (from default) must be less than half of saga.lease = 1s (from --set saga.lease), "
        + "or no call could ever be sent\n  change one of the two"),
    Case(
      "\(run) --set saga.call_timeout=12s", 2,
      "saga.call_timeout = 12s (from --set saga.call_timeout) must not exceed saga.charge_deadline = 10s (from default)"
        + ": a hold could run out during a charge\n  change one of the two"),
    Case(
      "\(run) --kafka-property enable.idempotence=false", 2,
      "Kafka property enable.idempotence belongs to the engine and cannot be set: the producer is always idempotent "
        + "(from --kafka-property enable.idempotence)\n"
        + "  leave it out; librdkafka's CONFIGURATION.md lists all properties and their values"),
    Case(
      "submit samples/requests.ndjson --brokers localhost:9 --kafka-property sasl.user=x", 2,
      "Kafka property sasl.user: No such configuration property: \"sasl.user\" (from --kafka-property sasl.user)\n"
        + "  leave it out; librdkafka's CONFIGURATION.md lists all properties and their values"),
  ]

  private static let surroundings = [
    Case(
      "submit nofile --brokers localhost:9", 3,
      "cannot read nofile: No such file or directory\n  check the path and its permissions"),
    Case(
      "submit samples --brokers localhost:9", 3,
      "cannot read samples: Is a directory\n  check the path and its permissions"),
    Case(
      "run --brokers localhost:9 --reference nofile", 3,
      "cannot read nofile: No such file or directory\n  check the path and its permissions"),
    Case(
      "run --brokers localhost:9 --reference samples/poison.ndjson", 3,
      "reference samples/poison.ndjson: not well-formed JSON\n  check --reference"),
    Case(
      "run --config nofile", 3, "cannot read nofile: No such file or directory\n  check the path and its permissions"),
    Case(
      "demo --samples nowhere", 3,
      "there are no samples in nowhere: requests.ndjson cannot be read\n"
        + "  use --samples DIR, the folder with requests.ndjson"),
    Case(
      "run --brokers localhost:9 --reference samples/reference.json --journal sqlite:FOLDER/no/j.db", 3,
      "journal FOLDER/no/j.db: the folder FOLDER/no does not exist; make it first\n  check --journal"),
    Case(
      "run --brokers localhost:9 --reference samples/reference.json --journal sqlite:FOLDER", 3,
      "journal FOLDER: FOLDER is a folder; name a file for the checkout journal\n  check --journal"),
    Case(
      "run --brokers localhost:9 --reference samples/reference.json --journal sqlite:samples/reference.json", 3,
      "journal samples/reference.json: samples/reference.json is not a SQLite file, or is damaged; name another, or "
        + "restore a copy\n  check --journal"),
    Case(
      "\(run) --gateways sandbox:FOLDER/no/l.db", 3,
      "sandbox ledger FOLDER/no/l.db: the folder FOLDER/no does not exist; make it first\n  check --gateways"),
  ]

  @Test("end with one line and what to do, and with nothing else", arguments: usage + surroundings)
  func wrong(_ wrong: Case) throws {
    let folder = try TestFolder()
    let arguments = wrong.arguments.replacing("FOLDER", with: folder.path("."))
    let finished = try Project.checkout(arguments.split(separator: " ").map(String.init), withinSeconds: 20)
    #expect(finished.ending == .exit(wrong.code))
    #expect(finished.output == "")
    #expect(finished.errors == "checkout: \(wrong.says.replacing("FOLDER", with: folder.path(".")))\n")
  }

  @Test("a wrong environment variable is named, with the nearest that there is")
  func environment() throws {
    let finished = try Project.checkout(["config"], environment: ["CHECKOUT_WORKER_DRIAN": "1s"])
    #expect(finished.ending == .exit(2))
    #expect(
      finished.errors
        == "checkout: CHECKOUT_WORKER_DRIAN: no such setting; did you mean CHECKOUT_WORKER_DRAIN?\n  see: checkout config\n"
    )
  }
}
