// Tests of the log: the forms of a line, levels, floods, and a sink that never blocks its callers.

import Glibc
import Testing

@testable import Operations

@Suite("Log")
struct LogTests {
  private let clock = SteppedClock(wall: 1_796_040_000_123_456_789, boot: 0)
  private let sink = InMemoryLogSink()

  @Test("a JSON line has time, level, message and the fields in order")
  func json() {
    let log = Log(format: .json, clock: clock, sink: sink)
    log.info(
      "assigned", [.topic: "checkout.requests", .partition: 3, .retriable: true, .detail: .text("a \"b\"\n\u{1}")])
    #expect(
      sink.lines == [
        #"{"time":"2026-11-30T12:00:00.123Z","level":"info","message":"assigned","topic":"checkout.requests","partition":3,"#
          + #""retriable":true,"detail":"a \"b\"\n\u0001"}"# + "\n"
      ])
  }

  @Test("a pretty line is for people: short time, quotes only where needed, colours only on request")
  func pretty() {
    Log(format: .pretty(colour: false), clock: clock, sink: sink).warning("slow", [.detail: "a b", .count: 2])
    Log(format: .pretty(colour: true), clock: clock, sink: sink).error("gone", [.topic: "t"])
    #expect(
      sink.lines == [
        "12:00:00.123 warn  slow detail=\"a b\" count=2\n", "12:00:00.123 \u{1B}[1;31mERROR\u{1B}[0m gone topic=t\n",
      ])
  }

  @Test("levels below the wanted one are left out")
  func levels() {
    let log = Log(format: .json, level: .warning, clock: clock, sink: sink)
    log.debug("a")
    log.info("b")
    log.warning("c")
    log.error("d")
    #expect(sink.lines.count == 2)
  }

  @Test("a foreign text is cut, so that one line cannot fill the disk")
  func bounded() {
    let log = Log(format: .json, clock: clock, sink: sink)
    log.info("a", [.detail: .text(String(repeating: "x", count: 100_000))])
    #expect(sink.lines[0].utf8.count < 700)
    #expect(sink.lines[0].contains("x…\"}"))
  }

  @Test("a flood of one message is cut to ten in ten seconds, and the next line tells how many were left out")
  func flood() {
    let log = Log(format: .json, clock: clock, sink: sink)
    for _ in 0..<25 { log.writeLimited(.warning, "refused") }
    log.writeLimited(.warning, "another")
    #expect(sink.lines.count == 11)
    clock.set(wall: 0, boot: 10_000_000_000)
    log.writeLimited(.warning, "refused")
    #expect(sink.lines.count == 12)
    #expect(sink.lines[11].contains("\"suppressed\":15"))
  }

  @Test(
    "dates",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_999_000_000, "2024-02-29T23:59:59.999Z"),
      (4_102_444_800_000_000_000, "2100-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func dates(_ nanoseconds: Int64, _ text: String) {
    #expect(WallTime.text(nanoseconds) == text)
  }

  @Test("keys are snake_case and unique")
  func keys() {
    let keys = LogKey.allCases.map(\.rawValue)
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
  }
}
