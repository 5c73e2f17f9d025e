// `checkout run --reference topics`: accounts and prices from compacted topics, written by another client.

import Foundation
import Testing

@Suite(.otherClients)
struct ReferenceTopicsTests {
  /// One topic of reference data as kcat writes it.
  private func publish(_ pipeline: LocalPipeline, _ topic: String, _ lines: [String]) throws {
    let file = pipeline.folder.path("\(topic).lines")
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    _ = try OtherClients.kcat(["-P", "-b", pipeline.brokers, "-t", topic, "-K", "\t", "-Z", "-l", file])
  }

  private func prices(_ minor: Int) -> [String] {
    [
      #"red"# + "\t" + #"{"merchant_id":"shop-eu","sku":"SKU-RED-42","currency":"EUR","unit_price_minor":\#(minor)}"#,
      #"blue"# + "\t" + #"{"merchant_id":"shop-eu","sku":"SKU-BLU-7","currency":"EUR","unit_price_minor":4550}"#,
    ]
  }

  /// Sends the first sample under ids of its own; returns the outcome's code, or its type if it has none.
  private func answer(_ pipeline: LocalPipeline, _ number: Int) throws -> String {
    let line = try #require(try Requests.keyed(number + 1).last?.split(separator: "\t").last)
    let file = pipeline.folder.path("request.ndjson")
    try String(line).write(toFile: file, atomically: true, encoding: .utf8)
    let finished = try pipeline.submit(file)
    let text = finished.lines.joined()
    for code in ["price_changed", "unknown_item", "unknown_account", "checkout.completed"] where text.contains(code) {
      return code
    }
    return text
  }

  /// Asks with new requests until the answer is the one that has to come.
  private func wait(for code: String, _ pipeline: LocalPipeline, from first: Int) throws {
    var last = ""
    for number in first..<first + 40 {
      last = try answer(pipeline, number)
      if last == code { return }
    }
    Issue.record("the answer stayed \(last), expected \(code)")
  }

  @Test("prices and accounts from topics decide, and so do their changes, tombstones and damaged records")
  func topicsDecide() throws {
    let pipeline = try LocalPipeline()
    let account = "a" + "\t" + #"{"merchant_id":"shop-eu","account_id":"acct_7781","status":"enabled"}"#
    try publish(pipeline, "reference.accounts", [account])
    try publish(pipeline, "reference.prices", prices(1999))
    let worker = try pipeline.worker("all", ["reference.location=topics"])
    #expect(try answer(pipeline, 0) == "checkout.completed")

    try publish(pipeline, "reference.prices", prices(2099))
    try wait(for: "price_changed", pipeline, from: 100)
    try publish(pipeline, "reference.prices", prices(1999))
    try wait(for: "checkout.completed", pipeline, from: 200)
    try publish(pipeline, "reference.prices", ["red\t"])
    try wait(for: "unknown_item", pipeline, from: 300)
    try publish(pipeline, "reference.accounts", ["a\t{\"merchant_id\":\"shop-eu\"}"])
    try wait(for: "unknown_account", pipeline, from: 400)

    worker.send(SIGTERM)
    let finished = try worker.finish(withinSeconds: 25)
    #expect(finished.ending == .exit(0))
    #expect(finished.errors.contains("reference topics read to their ends"))
    #expect(finished.errors.contains("reference record refused"))
  }
}
