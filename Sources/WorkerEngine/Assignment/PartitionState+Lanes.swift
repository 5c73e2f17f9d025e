// The order within a lane. An ordinary message starts when all earlier ones of its lane are finished; an interrupting one when
// all earlier ones have started. Nothing overtakes a message that waits.

extension PartitionState {
  /// True if a message that now arrives in the lane may start at once.
  func mayStart(in lane: Int32, interrupting: Bool) -> Bool {
    let lane = lanes[lane]
    return lane.firstWaiting < 0 && (lane.started == 0 || interrupting)
  }

  /// Puts a message at the end of its lane.
  mutating func wait(_ place: Int, in lane: Int32) {
    let last = lanes[lane].lastWaiting
    if last >= 0 { window[last].nextInLane = place } else { lanes[lane].firstWaiting = place }
    lanes[lane].lastWaiting = place
  }

  /// A started message of the lane is finished; returns how many of the waiting ones have become ready. Closes an empty lane.
  mutating func leave(_ index: Int32) -> Int {
    var lane = lanes[index]
    lane.started -= 1
    guard lane.started > 0 || lane.firstWaiting >= 0 else {
      lanes.close(index)
      return 0
    }
    var released = 0
    while lane.firstWaiting >= 0 {
      let place = lane.firstWaiting
      var entry = window[place]
      guard lane.started == 0 || entry.interrupting else { break }
      lane.firstWaiting = entry.nextInLane
      if lane.firstWaiting < 0 { lane.lastWaiting = -1 }
      lane.started += 1
      entry.phase = .ready
      entry.nextInLane = -1
      window[place] = entry
      ready.append(place)
      released += 1
    }
    lanes[index] = lane
    return released
  }
}
