// What an assignment counts.

/// Counted since the assignment began; the worker adds them up.
struct AssignmentCounters {
  var accepted = 0
  var duplicates = 0
  var skipped = 0
  var ignored = 0
  var started = 0
  var finished = 0
  var deadLetters = 0
  var staleRequests = 0
}
