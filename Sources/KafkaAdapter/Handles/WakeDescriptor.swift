// A thread's alarm clock: any thread rings, one thread waits. An eventfd, because librdkafka can ring it as well.

import CRdKafka
import Glibc

/// Owner of an eventfd. A ring before the wait is not lost; several rings are one.
final class WakeDescriptor: Sendable {
  /// For `rd_kafka_queue_io_event_enable`; not to be closed by anybody else.
  let descriptor: Int32

  init() {
    descriptor = shim_wake_new()
    precondition(descriptor >= 0, "the process is out of file descriptors")
  }

  deinit { close(descriptor) }

  /// Ends the present or the next wait. Any thread.
  func ring() { shim_wake_ring(descriptor) }

  /// Waits until somebody rings, at most `limitNanoseconds`: not rounded, because a stage's timers are
  /// as exact as this wait. One thread.
  func wait(limitNanoseconds: Int64) {
    shim_wake_wait(descriptor, min(max(0, limitNanoseconds), 3_600_000_000_000))
  }
}

/// Nanoseconds of the clock that is never set.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  // SAFETY: writes one timespec.
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
