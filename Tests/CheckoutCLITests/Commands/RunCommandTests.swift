// Samples through real processes and sockets, sent and read by our own commands, by kcat and by a Python client.

import Foundation
import Testing

@Suite("checkout broker, run and submit together", .serialized, .timeLimit(.minutes(3)))
struct RunCommandTests {
  @Test("submit --wait gets for every sample the answer it must get")
  func submitted() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker()
    try check(try pipeline.submit("samples/requests.ndjson"))
    try pipeline.stop([worker])
  }

  @Test("the three stages as three processes that share journal and ledger do the same")
  func threeProcesses() throws {
    let pipeline = try LocalPipeline()
    let workers = try ["validation", "facade", "reconciliation"].map { try pipeline.worker($0) }
    try check(try pipeline.submit("samples/requests.ndjson"))
    try pipeline.stop(workers)
  }

  @Test("kcat sends the samples and reads their outcomes with key and headers", .otherClients)
  func kcat() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker()
    let samples = try Project.lines("samples/requests.ndjson")
    let expected = try Project.objects(try Project.lines("samples/expected.ndjson"))
    let keyed = zip(samples, expected).map { "\($1["checkout_id"] as? String ?? "none")\t\($0)\n" }.joined()
    let file = try pipeline.folder.file("keyed.txt", keyed)
    _ = try OtherClients.kcat(["-P", "-b", pipeline.brokers, "-t", "checkout.requests", "-K", "\\t", "-l", file])
    // One outcome each on two topics; the receipt that is late and the parked one add a notice.
    let rejected = expected.filter { $0["expect"] as? String == "checkout.rejected" }.count
    let deadLetters = expected.filter { ($0["expect"] as? String)?.hasPrefix("dead-letter") == true }.count
    let rejections = try read("checkout.rejections", rejected, pipeline)
    #expect(rejections.allSatisfy { $0.contains("ce_type=checkout.rejected,") })
    let outcomes = try read("checkout.outcomes", samples.count - rejected - deadLetters, pipeline)
    for line in outcomes + rejections {
      let parts = line.split(separator: "\t", maxSplits: 2)
      try #require(parts.count == 3, "\(line)")
      #expect(parts[2].contains("\"checkout_id\":\"\(parts[0])\""))
      for header in ["ce_specversion=1.0", "ce_id=", "ce_source=", "ce_origin=", "content-type=application/json"] {
        #expect(parts[1].contains(header), "\(line)")
      }
    }
    try pipeline.stop([worker])
  }

  @Test("a Python client finds one answer to each message, and every event as its schema says", .otherClients)
  func python() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker()
    try check(try pipeline.submit("samples/requests.ndjson"))
    try pipeline.stop([worker])
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers, ledger: pipeline.ledger)
    let sent = try Project.lines("samples/requests.ndjson").count
    #expect(audit.requests == sent)
    #expect(audit.answered == sent)
    #expect(audit.answered_twice == [])
    #expect(audit.unasked == [])
    #expect(audit.faults == [])
    #expect(audit.ledger?.charged_twice == [])
    #expect(audit.ledger?.receipted_twice == 0)
  }

  private func read(_ topic: String, _ count: Int, _ pipeline: LocalPipeline) throws -> [String] {
    try OtherClients.kcat([
      "-C", "-b", pipeline.brokers, "-t", topic, "-o", "beginning", "-c", "\(count)", "-q", "-f", "%k\\t%h\\t%s\\n",
    ])
  }

  /// Compares the final answers of `submit --json` with what the samples must lead to.
  private func check(_ submitted: Finished) throws {
    #expect(submitted.ending == .exit(0), "\(submitted.errors)")
    let answers = try Project.objects(submitted.lines.dropLast().map { $0 })
    let expected = try Project.objects(try Project.lines("samples/expected.ndjson"))
    for (index, sample) in expected.enumerated() {
      let what = sample["what"] as? String ?? ""
      let own = answers.filter { $0["message"] as? String == "line \(index + 1)" }
      let last = try #require(own.last, "line \(index + 1) (\(what)) has no answer")
      let expect = try #require(sample["expect"] as? String)
      if expect.hasPrefix("dead-letter ") {
        #expect(last["answer"] as? String == "dead_letter", "\(what)")
        #expect(last["code"] as? String == String(expect.dropFirst("dead-letter ".count)), "\(what)")
      } else {
        #expect(last["answer"] as? String == expect, "line \(index + 1): \(what)")
        if let codes = sample["codes"] as? [String] { #expect(last["codes"] as? [String] == codes, "\(what)") }
        if let amount = sample["amount_minor"] as? Int { #expect(last["amount_minor"] as? Int == amount, "\(what)") }
        if let replayed = sample["replayed"] as? Bool { #expect(last["replayed"] as? Bool == replayed, "\(what)") }
      }
    }
    #expect(submitted.lines.last == #"{"sent":\#(expected.count),"unanswered":0}"#)
  }
}
