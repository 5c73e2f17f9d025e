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
  /// The outputs have left ahead of the job, but the message waits for a later one: its partition is held back.
  var isHeldBack = false
}

/// What one commit job takes.
struct CommitBatch {
  let number: Int
  var outputs: [Output] = []
  var marks: [CommitMark] = []
  var outputBytes = 0
  /// How many of the outputs have a mark; during a stage's turn there are more.
  private(set) var claimed = 0

  init(number: Int) {
    self.number = number
  }

  /// An empty one, with room for as much as the one before has.
  init(after batch: CommitBatch) {
    self.init(number: batch.number + 1)
    outputs.reserveCapacity(batch.outputs.count)
    marks.reserveCapacity(batch.marks.count)
  }

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

  /// Takes a partition's messages out, with their outputs; `leavingOutputs`: without them, because they may have left already.
  mutating func extract(slot: Int32, leavingOutputs: Bool) -> CommitBatch {
    var taken = CommitBatch(number: number)
    var kept = CommitBatch(number: number)
    var next = 0
    for mark in marks {
      let end = next + Int(mark.outputs)
      if mark.slot == slot, !mark.isHeldBack {
        var gone = mark
        if leavingOutputs {
          var left = mark
          left.isHeldBack = true
          if mark.outputs > 0 { kept.append(left, outputs[next..<end]) }
          gone.outputs = 0
        }
        taken.append(gone, leavingOutputs ? [] : outputs[next..<end])
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
    claimed += older.claimed
  }

  /// Other outputs take the place of some of a mark's own.
  mutating func replace(_ range: Range<Int>, by replacement: Output) {
    for index in range { outputBytes -= outputs[index].payloadBytes }
    outputs.replaceSubrange(range, with: [replacement])
    outputBytes += replacement.payloadBytes
    claimed += 1 - range.count
  }

  /// Takes the outputs out, those of some marks excepted.
  mutating func dropOutputs(exceptOf kept: Set<Int>) {
    var left = CommitBatch(number: number)
    var next = 0
    for (index, mark) in marks.enumerated() {
      let end = next + Int(mark.outputs)
      var mark = mark
      if !kept.contains(index) { mark.outputs = 0 }
      left.append(mark, kept.contains(index) ? outputs[next..<end] : [])
      next = end
    }
    self = left
  }

  mutating func append(_ mark: CommitMark, _ added: ArraySlice<Output>) {
    outputs.append(contentsOf: added)
    claim(mark)
  }

  /// The outputs behind those that are claimed already are this mark's.
  mutating func claim(_ mark: CommitMark) {
    marks.append(mark)
    for index in claimed..<claimed + Int(mark.outputs) { outputBytes += outputs[index].payloadBytes }
    claimed += Int(mark.outputs)
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
  /// The batch that was open at the last `forEachGrown`, and how many outputs it had.
  private var shown = (batch: 1, outputs: 0)
  /// Outputs of the present turn that stepped aside, and how many of them have been dealt with.
  private var aside: [Output] = []
  private var nextAside = 0

  init(outputsMax: Int, bytesMax: Int) {
    self.outputsMax = outputsMax
    self.bytesMax = bytesMax
  }

  /// Number of the batch that what finishes now goes into.
  var openNumber: Int { open.number }

  /// True if a batch has as much as a job may take, or waits to be repeated.
  var hasFullBatch: Bool { repeated != nil || !closed.isEmpty }

  /// True if a batch has messages or outputs.
  var isEmpty: Bool { repeated == nil && closed.isEmpty && open.marks.isEmpty }

  /// Calls `body` with the outputs and the number of each batch that has more than at the last call, oldest first.
  mutating func forEachGrown(_ body: ([Output], Int) -> Void) {
    for batch in closed where batch.number >= shown.batch { body(batch.outputs, batch.number) }
    if open.number != shown.batch || open.outputs.count != shown.outputs, !open.outputs.isEmpty {
      body(open.outputs, open.number)
    }
    shown = (open.number, open.outputs.count)
  }

  /// The oldest batch; empty if none has anything.
  mutating func take() -> CommitBatch {
    let batch: CommitBatch
    if let again = repeated {
      batch = again
      repeated = nil
    } else if closed.isEmpty {
      batch = open
      open = CommitBatch(after: batch)
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

// MARK: - A stage's turn

// The stage writes its outputs straight into the open batch: they are lent to its turn and come back with the new ones at the
// end, in the order of its requests. Each request then claims its own. Where the order is broken (a dead letter between them, a
// request about a message that is gone, a batch that is full) the rest steps aside and is appended one by one.
extension CommitQueue {
  /// Gives the open batch's outputs to a turn.
  mutating func lend() -> [Output] {
    precondition(aside.isEmpty && open.claimed == open.outputs.count, "the turn before has not ended")
    var lent: [Output] = []
    swap(&lent, &open.outputs)
    return lent
  }

  /// Takes them back, with those that the turn has added.
  mutating func takeBack(_ outputs: consuming [Output]) {
    open.outputs = outputs
  }

  /// The next outputs of the turn belong to a finished message or an emission.
  mutating func claim(_ mark: CommitMark) {
    let count = Int(mark.outputs)
    let before = open.outputBytes
    if aside.isEmpty {
      open.claim(mark)
    } else {
      open.append(mark, aside[nextAside..<nextAside + count])
      nextAside += count
    }
    outputCount += count
    outputBytes += open.outputBytes - before
    closeIfFull()
  }

  /// The next outputs of the turn are nobody's.
  mutating func discard(_ count: Int) {
    guard count > 0 else { return }
    stepAside()
    nextAside += count
  }

  /// An output that is not the turn's, before the turn's next.
  mutating func insert(_ mark: CommitMark, _ output: Output) {
    stepAside()
    open.append(mark, [output])
    outputCount += 1
    outputBytes += output.payloadBytes
    closeIfFull()
  }

  /// Every request of the turn has had its outputs.
  mutating func settle() {
    precondition(
      aside.isEmpty ? open.claimed == open.outputs.count : nextAside == aside.count, "outputs without a request")
    aside = []
    nextAside = 0
  }

  private mutating func closeIfFull() {
    guard open.claimed >= outputsMax || open.outputBytes >= bytesMax || open.marks.count >= outputsMax * 4 else {
      return
    }
    stepAside()
    closed.append(open)
    open = CommitBatch(after: open)
  }

  private mutating func stepAside() {
    guard aside.isEmpty, open.claimed < open.outputs.count else { return }
    aside = Array(open.outputs[open.claimed...])
    open.outputs.removeLast(aside.count)
  }
}
