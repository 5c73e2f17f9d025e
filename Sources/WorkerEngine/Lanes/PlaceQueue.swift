// A first-in, first-out queue of places, in a ring.

/// Places of window entries, oldest first.
struct PlaceQueue {
  private var ring: [Int] = Array(repeating: 0, count: 16)
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ place: Int) {
    if count == ring.count { grow() }
    ring[(head + count) & (ring.count - 1)] = place
    count += 1
  }

  mutating func popFirst() -> Int? {
    guard count > 0 else { return nil }
    let place = ring[head]
    head = (head + 1) & (ring.count - 1)
    count -= 1
    return place
  }

  private mutating func grow() {
    var larger = Array(repeating: 0, count: ring.count * 2)
    for index in 0..<count { larger[index] = ring[(head + index) & (ring.count - 1)] }
    ring = larger
    head = 0
  }
}
