// Messages nobody should send, and requests that come twice: each gets one answer, and the rest goes on.

import Foundation
import Testing

@Suite("Hostile messages and copies", .serialized, .otherClients, .timeLimit(.minutes(3)))
struct HostileMessageTests {
  private struct Sent: Decodable {
    let name: String
    let place: String?
    let error: String?
  }

  @Test("each poisoned message is one dead letter with its very bytes, and the good one behind them is paid")
  func poison() throws {
    let pipeline = try LocalPipeline(partitions: 4)
    let worker = try pipeline.worker()
    let request = try #require(try Project.lines("samples/requests.ndjson").first)
    let script = try OtherClients.script("produce_poison.py", [pipeline.brokers, request])
    try #require(script.ending == .exit(0), "\(script.errors)")
    let sent = try script.lines.map { try JSONDecoder().decode(Sent.self, from: Data($0.utf8)) }
    let arrived = sent.filter { $0.place != nil && $0.name != "a tombstone" }
    // What the broker's own limit refuses is no matter of ours.
    #expect(sent.filter { $0.place == nil }.allSatisfy { $0.name.hasSuffix(" MB") })
    let all = try Audit.until(answered: arrived.count, brokers: pipeline.brokers)
    #expect(all.answered == arrived.count)
    try pipeline.stop([worker])
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers, ledger: pipeline.ledger)
    #expect(audit.requests == arrived.count)
    #expect(audit.answered == arrived.count)
    #expect(audit.answered_twice == [])
    #expect(audit.unasked == [])
    #expect(audit.faults == [])
    #expect(audit.ledger?.charged == 1)
    let codes = Dictionary(uniqueKeysWithValues: arrived.map { ($0.name, audit.dead_letters[$0.place ?? ""]) })
    let tooLarge = codes.filter { $0.key.first?.isNumber == true && $0.key.hasSuffix(" MB") }
    #expect(tooLarge.count == 4)
    #expect(tooLarge.values.allSatisfy { $0 == "payload_too_large" }, "\(tooLarge)")
    let expected: [String: String?] = [
      "100,000 brackets": "malformed_json", "100,000 objects in one another": "malformed_json",
      "an empty value": "malformed_json", "a key that is not UTF-8": "unsupported_schema_version",
      "no key": "malformed_json", "a key of 100,000 bytes": "malformed_json",
      "headers that are not UTF-8": "malformed_json",
      "a type that is not UTF-8 on a good request": "unsupported_type",
      "a trace header that means nothing": "malformed_json", "1,000 headers": "malformed_json",
      "a number of a million digits": "malformed_json", "a good request": nil, "a good request behind 5 MB": nil,
    ]
    for (name, code) in expected { #expect(codes[name] == code, "\(name): \(codes[name] as Any)") }
  }

  @Test("copies of requests on other partitions and at other workers are answered each, and charged once")
  func copies() throws {
    let pipeline = try LocalPipeline(partitions: 4)
    let count = 200
    let file = try pipeline.folder.file("load.txt", try Requests.keyed(count).joined(separator: "\n") + "\n")
    for partition in ["0", "1"] {
      _ = try OtherClients.kcat([
        "-P", "-b", pipeline.brokers, "-t", "checkout.requests", "-p", partition, "-K", "\\t", "-l", file,
      ])
    }
    let validation = try pipeline.worker("validation")
    _ = try OtherClients.kcat([
      "-C", "-b", pipeline.brokers, "-t", "checkout.validated", "-o", "beginning", "-c", "\(2 * count)", "-q", "-f",
      "%o\\n",
    ])
    try pipeline.stop([validation])
    // Both copies of a request have one key and so one partition; now each is also on the partition after.
    let copied = try OtherClients.script("republish_validated.py", [pipeline.brokers])
    try #require(copied.output == "\(2 * count)\n", "\(copied.output)\(copied.errors)")
    let facades = try (0..<2).map {
      try pipeline.worker("facade", ["sandbox.latency_max=20ms", "connection.instance=f\($0)"])
    }
    for facade in facades { try facade.errorLine(containing: "\"partitions assigned\"") }
    #expect(try Audit.until(answered: 2 * count, brokers: pipeline.brokers).answered == 2 * count)
    try pipeline.stop(facades)
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers, ledger: pipeline.ledger)
    #expect(audit.answered == 2 * count)
    #expect(audit.answered_twice == [])
    #expect(audit.faults == [])
    #expect(
      audit.ledger == Audit.Ledger(charged: count, charged_twice: [], receipts: count, receipted_twice: 0))
  }
}
