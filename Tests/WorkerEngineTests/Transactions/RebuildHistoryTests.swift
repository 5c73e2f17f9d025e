// When broken clients are replaced, and when that makes no sense any more.

import Testing
import WorkerEngine

struct RebuildHistoryTests {
  private let second: Int64 = 1_000_000_000

  @Test("the third fencing within a minute is another live worker; fencings far apart are not")
  func threeFencings() {
    var history = RebuildHistory()
    #expect(history.next(now: 0, wasFenced: true) == .rebuild(pauseNanoseconds: 0))
    #expect(history.next(now: 30 * second, wasFenced: true) == .rebuild(pauseNanoseconds: second))
    #expect(history.next(now: 60 * second, wasFenced: true) == .rebuild(pauseNanoseconds: second))
    #expect(history.next(now: 61 * second, wasFenced: true) == .fencedTooOften(times: 3))
  }

  @Test("other reasons may repeat, with a pause")
  func otherReasons() {
    var history = RebuildHistory()
    for number in 0..<10 {
      let pause = number == 0 ? 0 : second
      #expect(history.next(now: Int64(number) * second, wasFenced: false) == .rebuild(pauseNanoseconds: pause))
    }
    #expect(history.next(now: 11 * second, wasFenced: true) == .rebuild(pauseNanoseconds: second))
  }
}
