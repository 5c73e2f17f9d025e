// Finished messages on their way into a commit job. Batches are numbered and end in order, so that a window entry needs to
// know only the number of its batch.

/// Whose outputs stand in a batch: one mark for each message or emission, in the order of the outputs.
struct CommitMark {
  /// The message's partition; -1: outputs that belong to no message.
  let slot: Int32
  /// How many outputs are its own.
  var outputs: Int32
  /// Place of the message in its window.
  let place: Int
  /// How often the broker refused one of its outputs.
  var refusals: Int32 = 0
}

/// What one commit job takes.
struct CommitBatch {
  let number: Int
  var outputs: [Output] = []
  var marks: [CommitMark] = []
  var outputBytes = 0

  /// Index of the mark and of its first output, for an output's index.
  func owner(of output: Int) -> (mark: Int, firstOutput: Int)? {
    guard output >= 0 else { return nil }
    var first = 0
    for (index, mark) in marks.enumerated() {
      if output < first + Int(mark.outputs) { return (index, first) }
      first += Int(mark.outputs)
    }
    return nil
  }

  /// Takes a partition's messages out, with their outputs.
  mutating func extract(slot: Int32) -> CommitBatch {
    var taken = CommitBatch(number: number)
    var kept = CommitBatch(number: number)
    var next = 0
    for mark in marks {
      let end = next + Int(mark.outputs)
      if mark.slot == slot {
        taken.append(mark, outputs[next..<end])
      } else {
        kept.append(mark, outputs[next..<end])
      }
      next = end
    }
    self = kept
    return taken
  }

  /// Puts older messages in front.
  mutating func prepend(_ older: CommitBatch) {
    outputs = older.outputs + outputs
    marks = older.marks + marks
    outputBytes += older.outputBytes
  }

  mutating func append(_ mark: CommitMark, _ added: ArraySlice<Output>) {
    marks.append(mark)
    for output in added { outputBytes += output.payloadBytes }
    outputs.append(contentsOf: added)
  }
}

/// The batches waiting for a job, oldest first.
struct CommitQueue {
  private let outputsMax: Int
  private let bytesMax: Int
  /// A batch to be repeated after a repair; older than all others.
  private var repeated: CommitBatch?
  private var closed: [CommitBatch] = []
  private var open = CommitBatch(number: 1)
  /// Outputs and their bytes in all batches that wait.
  private(set) var outputCount = 0
  private(set) var outputBytes = 0

  init(outputsMax: Int, bytesMax: Int) {
    self.outputsMax = outputsMax
    self.bytesMax = bytesMax
  }

  /// Number of the batch that what finishes now goes into.
  var openNumber: Int { open.number }

  /// True if a batch has messages or outputs.
  var isEmpty: Bool { repeated == nil && closed.isEmpty && open.marks.isEmpty }

  /// Adds a finished message or an emission to the open batch.
  mutating func add(_ mark: CommitMark, _ outputs: ArraySlice<Output>) {
    let before = open.outputBytes
    open.append(mark, outputs)
    outputCount += outputs.count
    outputBytes += open.outputBytes - before
    if open.outputs.count >= outputsMax || open.outputBytes >= bytesMax || open.marks.count >= outputsMax * 4 {
      closed.append(open)
      open = CommitBatch(number: open.number + 1)
    }
  }

  /// The oldest batch; empty if none has anything.
  mutating func take() -> CommitBatch {
    let batch: CommitBatch
    if let again = repeated {
      batch = again
      repeated = nil
    } else if closed.isEmpty {
      batch = open
      open = CommitBatch(number: batch.number + 1)
    } else {
      batch = closed.removeFirst()
    }
    outputCount -= batch.outputs.count
    outputBytes -= batch.outputBytes
    return batch
  }

  /// Gives a repaired batch back: it is the next one taken.
  mutating func giveBack(_ batch: CommitBatch) {
    precondition(repeated == nil, "one batch at a time is repaired")
    repeated = batch
    outputCount += batch.outputs.count
    outputBytes += batch.outputBytes
  }
}
