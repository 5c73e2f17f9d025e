// Every limit of a worker, with its default.

/// How one worker works. Durations are in nanoseconds, sizes in bytes.
package struct WorkerSettings: Sendable {
  /// Consumer group and stage, as they stand in dead letters.
  package let group: String
  /// Name of the stage, as it stands in dead letters.
  package let stage: String
  /// Where dead letters go.
  package var deadLetters: DeadLetterSettings
  /// An opaque word carried in every commit's metadata (the journal's id); no dots; empty: none.
  package var context = ""
  /// True: partitions committed under another context are taken over; false: the worker stops.
  package var adoptsOtherContext = false
  /// What to do when a committed offset is not in the log any more, or the log is another one.
  package var outOfRange = OutOfRangePolicy.fail

  /// Messages with the stage at one time, parked ones not counted.
  package var inFlightMax = 1024
  /// Messages taken from the broker at once. So few that what a turn touches stays in the processor's cache.
  package var pollRecordsMax = 1024
  /// Messages given to the stage in one turn.
  package var startsPerTurnMax = 8192
  /// Messages that wait for room in flight: intake pauses at `high`, goes on at `low`.
  package var readyWatermarks = Watermarks(high: 8192, low: 2048)
  /// Offsets in one partition's window.
  package var windowWatermarks = Watermarks(high: 100_000, low: 75_000)
  /// Bytes of records and outputs that are not committed.
  package var bytesWatermarks = Watermarks(high: 64 << 20, low: 32 << 20)

  /// Least time between the starts of two commit jobs.
  package var commitIntervalNanoseconds: Int64 = 5_000_000
  /// A job takes no more outputs or bytes than this (one message's outputs stay together).
  package var commitOutputsMax = 20_000
  /// And no more bytes than this.
  package var commitBytesMax = 16 << 20

  /// How long unfinished work may go on when the partitions are taken away.
  package var drainNanoseconds: Int64 = 5_000_000_000
  /// How long the last commits may take after that.
  package var lastCommitNanoseconds: Int64 = 5_000_000_000
  /// How long to wait for the group's word after a commit was refused because the group has moved on; then the partitions are
  /// taken anew.
  package var silenceNanoseconds: Int64 = 15_000_000_000
  /// How long a shutdown may take in all; and the part of it kept for leaving the group.
  package var shutdownGraceNanoseconds: Int64 = 25_000_000_000
  /// The part of the grace kept for leaving the group.
  package var closeNanoseconds: Int64 = 5_000_000_000

  /// Seed of the hash that finds lanes. Keys of one hash wait for each other, so that it should be random: then nobody can choose
  /// keys that hold up another's.
  package var laneHashSeed: UInt64 = 0x243F_6A88_85A3_08D3

  /// Defaults for everything but the worker's place: its consumer group, its stage's name (for logs, threads and dead
  /// letters), and where its dead letters go.
  package init(group: String, stage: String, deadLetters: DeadLetterSettings) {
    self.group = group
    self.stage = stage
    self.deadLetters = deadLetters
  }
}

/// What to do about a partition whose committed offset cannot be gone on from: its messages were deleted before they were
/// consumed, the log was cut off, or the topic was made again and its offsets begin anew.
package enum OutOfRangePolicy: String, Hashable, CaseIterable, Sendable {
  /// The worker ends; a person decides what to do about the messages.
  case fail
  /// Goes on at the first message there is.
  case earliest
  /// Goes on with the next message to come; what is there already is left out.
  case latest
}

/// Two limits, so that a valve does not flutter: close at `high`, open at `low`.
package struct Watermarks: Hashable, Sendable {
  /// Close at this value or above.
  package let high: Int
  /// Open at this value or below.
  package let low: Int

  /// Precondition: `low` is less than `high`.
  package init(high: Int, low: Int) {
    precondition(low < high, "the low watermark lies below the high one")
    self.high = high
    self.low = low
  }
}
