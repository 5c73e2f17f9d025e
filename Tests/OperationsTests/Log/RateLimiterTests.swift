// A burst of lines is let through, the rest of the window is counted.

import Operations
import Testing

struct RateLimiterTests {
  @Test("a message has its lines in a window, then is counted; another has its own")
  func limits() {
    let limiter = RateLimiter(burst: 2, windowNanoseconds: 60_000_000_000)
    #expect(limiter.admit("FAIL", at: 0) == 0)
    #expect(limiter.admit("FAIL", at: 1) == 0)
    #expect(limiter.admit("FAIL", at: 2) == nil)
    #expect(limiter.admit("FAIL", at: 3) == nil)
    #expect(limiter.admit("OTHER", at: 4) == 0)
    #expect(limiter.admit("FAIL", at: 60_000_000_000) == 2)
    #expect(limiter.admit("FAIL", at: 60_000_000_001) == 0)
  }
}
