// The check `freshness`, alone.

import CheckoutCore
import Testing

@Suite("The freshness check")
struct FreshnessCheckTests {
  private let check = FreshnessCheck(clockSkewMax: .seconds(300), livemode: false)
  private let noon = SampleRequest.noon
  private let tick = TimeSpan(nanoseconds: 1)

  private func request(requestedAt: Timestamp = SampleRequest.noon, expiresAt: Timestamp? = nil) -> SampleRequest {
    var sample = SampleRequest()
    sample.requestedAt = requestedAt
    sample.expiresAt = expiresAt
    return sample
  }

  @Test("lets requests of any age pass that do not expire")
  func anyAge() {
    #expect(check.examine(request()) == .passed)
    #expect(check.examine(request(requestedAt: Timestamp(nanoseconds: 0))) == .passed)
    #expect(check.examine(request(requestedAt: Timestamp(nanoseconds: .min))) == .passed)
  }

  @Test("a request has expired at its last moment, not after it")
  func expiry() {
    #expect(check.examine(request(expiresAt: noon + tick)) == .passed)
    #expect(check.complaint(request(expiresAt: noon)) == "request_expired /expires_at changeable")
    #expect(check.complaint(request(expiresAt: noon - tick)) == "request_expired /expires_at changeable")
    #expect(
      check.complaint(request(expiresAt: Timestamp(nanoseconds: .min))) == "request_expired /expires_at changeable")
    #expect(check.examine(request(expiresAt: .distantFuture)) == .passed)
  }

  @Test("an expiry before the request itself is expired whatever the clock says, yet not final: a repeat may be later")
  func expiredWhenMade() {
    let made = noon + .seconds(60)
    #expect(
      check.complaint(request(requestedAt: made, expiresAt: made)) == "request_expired /expires_at changeable")
    #expect(check.examine(request(requestedAt: made, expiresAt: made + tick)) == .passed)
  }

  @Test("a request may be made up to five minutes ahead of our clock")
  func skew() {
    #expect(check.examine(request(requestedAt: noon + .seconds(300))) == .passed)
    #expect(
      check.complaint(request(requestedAt: noon + .seconds(300) + tick)) == "clock_skew /requested_at changeable")
    #expect(check.complaint(request(requestedAt: .distantFuture)) == "clock_skew /requested_at changeable")
  }

  @Test("test traffic stays out of a live deployment, and live traffic out of a test")
  func livemode() {
    var live = SampleRequest()
    live.livemode = true
    let liveCheck = FreshnessCheck(clockSkewMax: .seconds(300), livemode: true)
    #expect(check.complaint(live) == "livemode_mismatch /livemode changeable")
    #expect(liveCheck.complaint(SampleRequest()) == "livemode_mismatch /livemode changeable")
    #expect(liveCheck.examine(live) == .passed)
  }

  @Test("reports expiry before skew, and skew before the mode")
  func order() {
    var sample = request(requestedAt: noon + .seconds(301), expiresAt: noon)
    sample.livemode = true
    #expect(check.complaint(sample) == "request_expired /expires_at changeable")
    sample.expiresAt = nil
    #expect(check.complaint(sample) == "clock_skew /requested_at changeable")
  }

  @Test("does not trap at the ends of time")
  func extremes() {
    let ends = [Timestamp(nanoseconds: .min), Timestamp(nanoseconds: 0), Timestamp(nanoseconds: .max)]
    for now in ends {
      for made in ends {
        for expires in ends {
          let context = CheckContext(now: now, reference: .sample)
          let isExpired = expires <= max(now, made)
          let complaint = check.complaint(request(requestedAt: made, expiresAt: expires), in: context)
          #expect((complaint == "request_expired /expires_at changeable") == isExpired)
        }
      }
    }
  }
}
