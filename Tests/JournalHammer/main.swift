// A process beside others on one journal: writes to it until it is killed, or pays at the sandbox.
//
// JournalHammer write PATH|postgres://… PREFIX [ATTEMPTS]   prints "KEY VERSION" for each acknowledged write
// JournalHammer pay PATH COUNT                 charges checkouts 0 to COUNT - 1 twice; prints "CHECKOUT CHARGE" for each reply

import CheckoutCore
import CheckoutSandbox
import Foundation
import JournalQueue
import JournalSamples
import Operations
import PostgresAdapter
import SQLiteAdapter

private func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

private func open(_ path: String) throws -> any HostedJournal {
  if PostgresLocation.isPostgres(path) {
    return try PostgresJournal(try PostgresLocation(path), patience: .seconds(60))
  }
  let clock = SystemClock()
  return try SQLiteJournal(
    path: path, missing: .create,
    time: JournalTimeSource(
      wall: { Timestamp(nanoseconds: clock.wallNanoseconds()) },
      boot: { BootTime(nanoseconds: clock.bootNanoseconds()) }))
}

private func write(path: String, prefix: String, attempts: Int) throws {
  let journal = try open(path)
  let answers = AnswerBox<JournalReply>()
  var number = 0
  while number < attempts {
    let rows = (0..<20).compactMap { offset in
      SampleAttempts.new("\(prefix)-key-\(number + offset)-00000000", checkout: "\(prefix)-\(number + offset)")
    }.map(\.goodDay)
    number += rows.count
    for version in 0..<4 {
      let requests = rows.enumerated().map { index, row in
        let write = AttemptWrite(row[version], "\(prefix)-\(number)-\(index)-\(version)")
        return JournalRequest(id: UInt64(index), command: version == 0 ? .create(write) : .update(write))
      }
      journal.submit(requests) { answers.put($0) }
      for reply in answers.take(rows.count) {
        guard reply.result == .written else {
          say("NOT WRITTEN \(reply.result)")
          exit(1)
        }
        say("\(rows[Int(reply.id)][version].identity.idempotencyKey) \(version + 1)")
      }
    }
  }
  journal.close()
}

private func pay(path: String, count: Int) throws {
  guard let euro = Currency(code: "EUR") else { return }
  let ledger = try SQLiteSandboxLedger(path: path, missing: .create)
  let exchange = SandboxExchange(
    ledger: ledger, clock: SandboxClock(now: { SampleAttempts.start }, boot: { BootTime(nanoseconds: 0) }))
  let answers = AnswerBox<GatewayReply>()
  for number in (0..<count).flatMap({ [$0, $0] }) {
    let charge = PaymentCommand.charge(
      amount: Amount(minor: 1000, currency: euro), checkoutID: "chk_\(number)", reservationID: "res_\(number)",
      methodToken: "pm_tok_visa_ok", capture: .automatic)
    exchange.payments.submit([
      GatewayCall(
        id: UInt64(number), key: ProviderKey(text: "k\(number)"), notAfter: .never, merchantID: "shop-eu",
        command: charge)
    ]) { answers.put($0) }
    exchange.advance()
    guard case .payment(_, .captured(let charge, _))? = answers.take(1).first else {
      say("NOT CAPTURED chk_\(number)")
      exit(1)
    }
    say("chk_\(number) \(charge)")
  }
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "write" where arguments.count >= 4:
  try write(path: arguments[2], prefix: arguments[3], attempts: arguments.count > 4 ? Int(arguments[4]) ?? 0 : .max)
case "pay" where arguments.count == 4:
  try pay(path: arguments[2], count: Int(arguments[3]) ?? 1)
default:
  say("usage: JournalHammer write PATH PREFIX [ATTEMPTS] | pay PATH COUNT")
  exit(2)
}
