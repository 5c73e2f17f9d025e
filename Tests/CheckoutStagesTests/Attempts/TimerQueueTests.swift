// The timers of a stage: earliest first, one for each job.

import Testing

@testable import CheckoutStages

@Suite("Timer queue")
struct TimerQueueTests {
  /// Takes everything due by each of the times in turn.
  private static func taken(_ timers: TimerQueue, at times: Int64...) -> [[Int]] {
    var timers = timers
    return times.map { time in
      var jobs: [Int] = []
      while let job = timers.popDue(at: time) { jobs.append(job) }
      return jobs
    }
  }

  @Test("jobs come out by time, equal times in the order they were set")
  func order() {
    var timers = TimerQueue()
    timers.set(1, at: 30)
    timers.set(2, at: 10)
    timers.set(3, at: 20)
    timers.set(4, at: 10)
    #expect(timers.first == 10)
    #expect(Self.taken(timers, at: 9, 20, 30, 100) == [[], [2, 4, 3], [1], []])
  }

  @Test("a later timer of a job makes its earlier one void, also if it is set for an earlier time")
  func replaced() {
    var timers = TimerQueue()
    timers.set(1, at: 10)
    timers.set(1, at: 20)
    timers.set(2, at: 20)
    timers.set(2, at: 5)
    #expect(Self.taken(timers, at: 10, 20, 100) == [[2], [1], []])
  }

  @Test("a cleared job does not come out; set again it does")
  func cleared() {
    var timers = TimerQueue()
    timers.set(1, at: 10)
    timers.clear(1)
    #expect(Self.taken(timers, at: 50) == [[]])
    timers.set(1, at: 60)
    #expect(Self.taken(timers, at: 59, 60) == [[], [1]])
  }

  @Test("two hundred jobs in a scrambled order come out sorted")
  func many() {
    var timers = TimerQueue()
    for job in 0..<200 { timers.set(job, at: Int64(job * 73 % 200)) }
    #expect(Self.taken(timers, at: 1000)[0].map { $0 * 73 % 200 } == Array(0..<200))
  }
}
