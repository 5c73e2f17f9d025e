// Finished messages become commit jobs: which offsets and sets go with which outputs, and what a job's end means.

extension Assignment {
  /// What to do about a refused output.
  enum Repair: Equatable {
    /// The message goes to the dead letters instead; the rest is repeated.
    case repeatWithout(TopicPartition?)
    /// Its dead letter was refused too, twice: the dead-letter topic cannot be written.
    case impossible
  }

  /// True if a job would have something to say.
  var hasSomethingToCommit: Bool {
    if !commits.isEmpty { return true }
    // By index, here and elsewhere: a loop over the partitions would copy each one's state.
    for slot in partitions.indices where partitions[slot].changedIn > partitions[slot].snapshotIn { return true }
    return false
  }

  /// The next job; nil if there is nothing to commit, or one has not ended yet.
  mutating func nextJob(id: Int) -> CommitJob? {
    guard sent == nil, hasSomethingToCommit else { return nil }
    var batch = commits.take()
    var offsets: [PartitionCommit] = []
    var slots: [Int] = []
    for slot in partitions.indices where partitions[slot].changedIn > partitions[slot].snapshotIn {
      partitions[slot].snapshotIn = batch.number
      guard let commit = snapshot(slot, &batch) else { continue }
      offsets.append(commit)
      slots.append(slot)
    }
    guard !offsets.isEmpty || !batch.outputs.isEmpty else { return nil }
    sent = (batch, slots)
    return CommitJob(id: id, generation: generation, outputs: batch.outputs, offsets: offsets)
  }

  /// The job is durable: its records and offsets are forgotten. Returns the number of its outputs.
  mutating func jobCommitted() -> Int {
    guard let (batch, slots) = sent else { return 0 }
    sent = nil
    for mark in batch.marks where mark.slot >= 0 {
      recordBytes -= records.remove(partitions[Int(mark.slot)].window.takeRecord(of: mark.place))
    }
    for slot in slots { partitions[slot].dropCommitted(through: batch.number) }
    return batch.outputs.count
  }

  /// One output was refused for its own sake: its message becomes a dead letter, the job is repeated with the rest.
  mutating func jobRefused(
    output: Int, detail: String, _ envelope: DeadLetterEnvelope, now: Moment
  ) -> Repair {
    guard var (batch, slots) = sent, let owner = batch.owner(of: output) else { return .impossible }
    var mark = batch.marks[owner.mark]
    guard mark.refusals < 2 else { return .impossible }
    let end = owner.firstOutput + Int(mark.outputs)
    let replacement =
      mark.refusals > 0
      ? envelope.reduced(batch.outputs[output])
      : envelope.output(
        of: source(of: mark, refused: batch.outputs[output]), DeadLetter(code: "output_refused", detail: detail),
        now: now)
    batch.replace(owner.firstOutput..<end, by: replacement)
    mark.outputs = 1
    mark.refusals += 1
    batch.marks[owner.mark] = mark
    for slot in slots { partitions[slot].snapshotIn = batch.number - 1 }
    slots = []
    sent = nil
    commits.giveBack(batch)
    return .repeatWithout(mark.slot >= 0 ? partitions[Int(mark.slot)].partition : nil)
  }

  private func source(of mark: CommitMark, refused output: Output) -> DeadLetterSource {
    guard mark.slot >= 0 else { return DeadLetterSource(refused: output) }
    let partition = partitions[Int(mark.slot)]
    return DeadLetterSource(records[partition.window[mark.place].record], of: partition.partition)
  }

  /// Offset and set of one partition as this batch makes them. If the set does not fit, the partition's messages leave the
  /// batch and wait until the frontier has moved.
  private mutating func snapshot(_ slot: Int, _ batch: inout CommitBatch) -> PartitionCommit? {
    if let older = partitions[slot].heldBack {
      batch.prepend(older)
      mark(older, of: slot, as: batch.number)
      partitions[slot].heldBack = nil
    }
    let (commit, fits) = partitions[slot].snapshot(through: batch.number, context: limits.context, records: records)
    if !fits {
      let held = batch.extract(slot: Int32(slot))
      mark(held, of: slot, as: WindowEntry.heldBack)
      partitions[slot].heldBack = held
    }
    return commit
  }

  private mutating func mark(_ batch: CommitBatch, of slot: Int, as number: Int) {
    for mark in batch.marks { partitions[slot].window.setBatch(of: mark.place, to: number) }
  }
}
