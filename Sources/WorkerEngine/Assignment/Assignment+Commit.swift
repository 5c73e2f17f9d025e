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

  /// Shows outputs that have come since the last time to a broker that sends ahead.
  mutating func sendAhead(through broker: any Broker) {
    guard limits.sendsAhead else { return }
    let generation = self.generation
    commits.forEachGrown { outputs, batch in broker.send(outputs, ofBatch: batch, generation: generation) }
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
    return CommitJob(
      id: id, generation: generation, batch: batch.number, outputs: batch.outputs, offsets: offsets)
  }

  /// The job is durable: its records and offsets are forgotten. Returns the number of its outputs.
  mutating func jobCommitted() -> Int {
    guard let (batch, slots) = sent else { return 0 }
    sent = nil
    for mark in batch.marks where mark.slot >= 0 && !mark.isHeldBack {
      recordBytes -= records.remove(partitions[Int(mark.slot)].window.takeRecord(of: mark.place))
    }
    for slot in slots { partitions[slot].dropCommitted(through: batch.number) }
    return batch.outputs.count
  }

  /// Outputs were refused for their own sake: their messages become dead letters, the job is repeated with the rest.
  /// `othersDelivered`: without the outputs of the rest.
  mutating func jobRefused(
    _ refused: [RefusedOutput], othersDelivered: Bool, _ envelope: DeadLetterEnvelope, now: Moment
  ) -> [Repair] {
    guard var (batch, slots) = sent else { return [.impossible] }
    var guilty: [Int: (refused: RefusedOutput, firstOutput: Int)] = [:]
    for one in refused {
      guard let owner = batch.owner(of: one.output) else { return [.impossible] }
      if guilty[owner.mark] == nil { guilty[owner.mark] = (one, owner.firstOutput) }
    }
    var repairs: [Repair] = []
    // From the end, so that what comes before stays where it is.
    for (index, found) in guilty.sorted(by: { left, right in left.key > right.key }) {
      guard batch.marks[index].refusals < 2 else { return [.impossible] }
      let replacement = deadLetter(
        for: batch.marks[index], batch.outputs[found.refused.output], found.refused.detail, envelope, now)
      batch.replace(found.firstOutput..<found.firstOutput + Int(batch.marks[index].outputs), by: replacement)
      batch.marks[index].outputs = 1
      batch.marks[index].refusals += 1
      let slot = Int(batch.marks[index].slot)
      repairs.append(.repeatWithout(slot >= 0 ? partitions[slot].partition : nil))
    }
    if othersDelivered { batch.dropOutputs(exceptOf: Set(guilty.keys)) }
    for slot in slots { partitions[slot].snapshotIn = batch.number - 1 }
    slots = []
    sent = nil
    commits.giveBack(batch)
    return repairs.reversed()
  }

  /// What is sent in place of a refused output: its message's dead letter, and if that is refused too, a shorter one.
  private func deadLetter(
    for mark: CommitMark, _ output: Output, _ detail: String, _ envelope: DeadLetterEnvelope, _ now: Moment
  ) -> Output {
    guard mark.refusals == 0 else { return envelope.reduced(output) }
    return envelope.output(
      of: source(of: mark, refused: output), DeadLetter(code: "output_refused", detail: detail), now: now)
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
      let held = batch.extract(slot: Int32(slot), leavingOutputs: limits.sendsAhead)
      mark(held, of: slot, as: WindowEntry.heldBack)
      partitions[slot].heldBack = held
    }
    return commit
  }

  private mutating func mark(_ batch: CommitBatch, of slot: Int, as number: Int) {
    for mark in batch.marks { partitions[slot].window.setBatch(of: mark.place, to: number) }
  }
}
