// Time comes from outside, so that a simulation can own it.

/// Tells the time. Read twice in a loop turn; everything decided in the turn uses the second reading.
package protocol EngineClock: AnyObject {
  /// The present moment; `boot` never goes back.
  func now() -> Moment
}
