// Numbers from a seed: the same seed gives the same sequence on every machine.

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, good enough to spread retries and to draw faults and test data;
/// never for ids or secrets. Pure: the seed comes from outside.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A sequence of its own for each seed; any value is good.
  package init(seed: UInt64) {
    state = seed
  }

  /// The next number, over the whole range.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` - 1; 0 if `bound` is less than 1. The bias of the remainder does not matter here.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
