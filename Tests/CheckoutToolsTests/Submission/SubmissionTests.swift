// Files of requests as messages: one a line, keyed by their checkout, marked so that their answers can be told.

import CheckoutTools
import Testing
import WorkerEngine

@Suite struct SubmissionTests {
  private static func submission(_ text: String) -> Submission { Submission(run: "run-1", ndjson: Array(text.utf8)) }

  @Test("each line that is not blank is a message, named by its line, whatever ends it")
  func lines() {
    let submission = Self.submission("{\"checkout_id\":\"chk_1\"}\r\n\n \t\n{\"checkout_id\":\"chk_2\"}")
    #expect(submission.messages.map(\.name) == ["line 1", "line 4"])
    #expect(submission.messages.map(\.key) == [Bytes("chk_1"), Bytes("chk_2")])
    #expect(submission.messages.first?.value == Bytes("{\"checkout_id\":\"chk_1\"}"))
  }

  @Test(
    "what has no checkout id that can be read has no key, and is sent as it is",
    arguments: ["not json", "[]", "{}", "{\"checkout_id\":7}", "{\"checkout_id\":\"chk_1\""])
  func withoutKey(line: String) {
    let message = Self.submission(line).messages.first
    #expect(message?.key == nil)
    #expect(message?.value == Bytes(line))
  }

  @Test("a message carries its run and its place")
  func mark() {
    let output = Self.submission("{\"checkout_id\":\"chk_1\"}\n{\"checkout_id\":\"chk_2\"}").output(
      1, topic: "requests")
    #expect(output.topic == "requests")
    #expect(output.key == Bytes("chk_2"))
    #expect(
      output.headers == [Header("content-type", "application/json"), Header("checkout-submission", "run-1/1")])
  }
}
