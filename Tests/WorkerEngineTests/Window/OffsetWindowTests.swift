// The window of offsets: gaps, search, the frontier.

import CheckoutCore
import Testing

@testable import WorkerEngine

@Suite("Offset windows")
struct OffsetWindowTests {
  private func entry(_ offset: Int64) -> WindowEntry {
    WindowEntry(offset: offset, lane: WindowEntry.noLane, record: 0, phase: .running, interrupting: false)
  }

  @Test("Offsets before the committed one and those seen have been passed")
  func passed() {
    var window = OffsetWindow(committed: 10)
    #expect(window.hasPassed(9))
    #expect(!window.hasPassed(10))
    _ = window.append(entry(12))
    #expect(window.hasPassed(11), "a gap is never filled")
    #expect(window.hasPassed(12))
    #expect(!window.hasPassed(13))
  }

  @Test("Without a committed offset the first record begins the window")
  func noCommitted() {
    let window = OffsetWindow(committed: nil)
    #expect(!window.hasPassed(0))
    #expect(window.nextOffset == nil)
  }

  @Test("Every offset is found, whatever the gaps, and no other")
  func search() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<100 {
      var window = OffsetWindow(committed: nil)
      var offsets: [Int64: Int] = [:]
      var offset: Int64 = 0
      for _ in 0..<Int.random(in: 1...300, using: &random) {
        offset += Int64.random(in: 1...3, using: &random)
        offsets[offset] = window.append(entry(offset))
      }
      for candidate in -1...offset + 2 { #expect(window.place(of: candidate) == offsets[candidate]) }
    }
  }

  @Test("Committed entries leave from the front only")
  func front() {
    var window = OffsetWindow(committed: 0)
    let places = (0..<5).map { offset in window.append(entry(Int64(offset))) }
    for (index, place) in places.enumerated() where index != 2 { window.setFinished(place, batch: 1) }
    #expect(window.firstOpen(after: 1) == places[2])
    window.dropCommitted(through: 1)
    #expect(window.count == 3)
    window.setFinished(places[2], batch: 2)
    window.dropCommitted(through: 1)
    #expect(window.count == 3, "batch 2 is not committed yet")
    window.dropCommitted(through: 2)
    #expect(window.count == 0)
    #expect(window.nextOffset == 5)
  }
}
