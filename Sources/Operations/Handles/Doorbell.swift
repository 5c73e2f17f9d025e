// What a thread of ours waits on: other threads ring, it wakes, or its time is up.

import Glibc

/// A bell for one waiting thread: a ring is remembered until the next wait, and any number of them wakes once.
// SAFETY: `@safe` and `@unchecked Sendable`: mutex and condition are allocated once and so never move; `rung` is touched
// only with the mutex held; all are freed in `deinit`, when no thread can be inside a method any more.
@safe package final class Doorbell: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var rung = false

  /// A bell that has not been rung.
  package init() {
    // SAFETY: both are allocated here, initialised before anybody can use them, and stay where they are.
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    // SAFETY: the last reference is gone, so no thread waits or rings.
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Wakes the waiting thread, or lets its next wait return at once. Any thread.
  package func ring() {
    // SAFETY: initialised for the object's whole life; `rung` only changes with the mutex held.
    unsafe pthread_mutex_lock(mutex)
    rung = true
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Blocks the calling thread until a ring or until `nanoseconds` have passed (nil: no limit), whichever is first. May
  /// also return early for no reason, so the caller looks at its own state. Never call it on Swift's task pool.
  package func wait(nanoseconds: Int64? = nil) {
    // SAFETY: initialised for the object's whole life; `rung` only changes with the mutex held, and the time lives on
    // this stack for the call's length.
    unsafe pthread_mutex_lock(mutex)
    if !rung {
      if let nanoseconds {
        var end = Doorbell.monotonic(in: max(0, nanoseconds))
        unsafe pthread_cond_timedwait(condition, mutex, &end)
      } else {
        unsafe pthread_cond_wait(condition, mutex)
      }
    }
    rung = false
    unsafe pthread_mutex_unlock(mutex)
  }

  private static func monotonic(in nanoseconds: Int64) -> timespec {
    var now = timespec()
    // SAFETY: the out-parameter lives on this stack.
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let (sum, overflow) = (Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)).addingReportingOverflow(nanoseconds)
    let end = overflow ? Int64.max : sum
    return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
  }
}
