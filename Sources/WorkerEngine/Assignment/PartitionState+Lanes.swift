// A message's way through its partition: into the window and its lane, to the stage, out again. An ordinary message starts
// when all earlier ones of its lane are finished; an interrupting one when all earlier ones have started. Nothing overtakes a
// message that waits.

extension PartitionState {
  /// What a finished message leaves behind.
  struct Departure {
    let place: Int
    let wasParked: Bool
    /// Messages of its lane that may start now.
    let released: Int
  }

  /// Takes a new record in; true if it may start.
  mutating func enter(
    _ offset: Int64, lane: UInt64, of lanes: inout LaneTable, interrupting: Bool, record: Int32
  ) -> Bool {
    let mayStart = lane == WindowEntry.noLane || lanes.enter(lane, interrupting: interrupting)
    let place = window.append(
      WindowEntry(
        offset: offset, lane: lane, record: record, phase: mayStart ? .ready : .waiting, interrupting: interrupting))
    if mayStart {
      ready.append(place)
    } else if let before = lanes.wait(place, in: lane) {
      window.setNextInLane(of: before, to: place)
    }
    return mayStart
  }

  /// The next message that may start, now running.
  mutating func startNext() -> WindowEntry? {
    guard let place = ready.popFirst() else { return nil }
    window.setPhase(of: place, to: .running)
    return window[place]
  }

  /// A message with the stage is done, its outputs being in `batch`; nil if the offset is not with the stage.
  mutating func finish(_ offset: Int64, batch: Int, lanes: inout LaneTable) -> Departure? {
    guard let place = startedPlace(of: offset) else { return nil }
    let entry = window[place]
    window.setFinished(place, batch: batch)
    changedIn = batch
    let released = entry.lane == WindowEntry.noLane ? 0 : leave(entry.lane, of: &lanes)
    return Departure(place: place, wasParked: entry.phase == .parked, released: released)
  }

  /// Where the offset stands if it is with the stage.
  func startedPlace(of offset: Int64) -> Int? {
    guard let place = window.place(of: offset) else { return nil }
    switch window[place].phase {
    case .running, .parked: return place
    case .waiting, .ready, .finished, .skipped: return nil
    }
  }

  /// A started message of the lane is finished; returns how many of the waiting ones have become ready.
  private mutating func leave(_ lane: UInt64, of lanes: inout LaneTable) -> Int {
    var released = 0
    var waiting = lanes.leave(lane)
    while let place = waiting {
      let entry = window[place]
      let next = entry.nextInLane > 0 ? place + Int(entry.nextInLane) : nil
      guard lanes.release(lane, interrupting: entry.interrupting, next: next) else { break }
      window.setPhase(of: place, to: .ready)
      ready.append(place)
      released += 1
      waiting = next
    }
    return released
  }
}
