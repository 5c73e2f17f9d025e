// Real output against the published schemas, judged by an independent validator (Python's jsonschema).
import CheckoutCore
import CheckoutWire
import Foundation
import Testing

private struct ScriptResult {
  let status: Int32
  let output: String
}

// `label` names the input file: tests run side by side.
private func run(_ script: String, label: String, input: [UInt8] = []) throws -> ScriptResult {
  let own = SampleFiles.root.appending(path: ".venv/bin/python3").path
  let process = Process()
  let isPrepared = FileManager.default.isExecutableFile(atPath: own)
  process.executableURL = URL(filePath: isPrepared ? own : "/usr/bin/env")
  let path = SampleFiles.root.appending(path: "Tests/Scripts/\(script)").path
  process.arguments = (isPrepared ? [] : ["python3"]) + [path]
  let inputFile = FileManager.default.temporaryDirectory.appending(path: "checkout-wire-\(label)-\(getpid()).ndjson")
  try Data(input).write(to: inputFile)
  defer { try? FileManager.default.removeItem(at: inputFile) }
  process.standardInput = try FileHandle(forReadingFrom: inputFile)
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return ScriptResult(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
}

// A missing validator is a failure in CI and a loud skip elsewhere.
private func judge(_ label: String, _ messages: [(type: String, value: [UInt8])]) throws -> ScriptResult? {
  var input: [UInt8] = []
  for message in messages {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("type", message.type)
    writer.key("value")
    writer.raw(message.value[...])
    writer.endObject()
    input += writer.bytes + [0x0A]
  }
  let result = try run("validate_events.py", label: label, input: input)
  if result.status == 2 {
    if ProcessInfo.processInfo.environment["CI"] != nil {
      Issue.record("jsonschema is missing: run scripts/bootstrap")
    } else {
      let warning = "SKIPPED: no jsonschema; run scripts/bootstrap to check real output against the schemas\n"
      try FileHandle.standardError.write(contentsOf: Data(warning.utf8))
    }
    return nil
  }
  return result
}

struct SchemaTests {
  @Test func `all real output satisfies its schema`() throws {
    var messages: [(type: String, value: [UInt8])] = []
    for event in try SampleEvents.all() {
      let encoded = EventEncoder().encode(event)
      messages.append((event.type.rawValue, encoded.value))
    }
    #expect(Set(messages.map(\.type)).count == EventType.allCases.count - 1)
    messages.append((EventType.requested.rawValue, Array(RequestText.right.utf8)))
    guard let result = try judge("output", messages) else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func `the validator does refuse`() throws {
    let broken = #"{"schema_version":1,"checkout_id":"c","merchant_id":"m","failures":[],"replayed":"no"}"#
    guard let result = try judge("broken", [(EventType.rejected.rawValue, Array(broken.utf8))]) else { return }
    #expect(result.status == 1)
    #expect(result.output.contains("2 faults"))
  }

  @Test func `sample requests that decode satisfy the request's schema`() throws {
    let messages = try SampleFiles.lines("samples/requests.ndjson").compactMap {
      line -> (type: String, value: [UInt8])? in
      let inbound = InboundDecoder().decode(InboundMessage(value: line, headers: []))
      if inbound.request != nil { return (EventType.requested.rawValue, Array(line)) }
      return inbound.cancel == nil ? nil : (EventType.cancelRequested.rawValue, Array(line))
    }
    guard let result = try judge("samples", messages) else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func `the fingerprint vectors are what the other implementation computes`() throws {
    #expect(try run("fingerprint_vectors.py", label: "vectors").status == 0)
  }

  @Test func `what the writer escapes, Python reads`() throws {
    let text = String(String.UnicodeScalarView((1..<0x3000).compactMap { Unicode.Scalar($0) }))
    var writer = JSONWriter()
    writer.string(text + "\u{1F600}\u{10FFFF}")
    let result = try run("escape_codepoints.py", label: "escapes", input: writer.bytes)
    let expected = (1..<0x3000).map { "\($0)" } + ["128512", "1114111"]
    #expect(result.output == expected.joined(separator: " ") + "\n")
  }
}
