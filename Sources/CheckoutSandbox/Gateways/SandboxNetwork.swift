// The way between worker and services: how long calls take, and what gets lost; drawn from a seed.

package import CheckoutCore

/// Latency and faults of every call, beside magic values. All rates are per mille of the calls.
package struct SandboxNetwork: Hashable, Sendable {
  /// Each call takes between these two, evenly spread.
  package var latencyMin: TimeSpan
  /// The longest a call takes; not below `latencyMin`.
  package var latencyMax: TimeSpan
  /// The service has a bad moment: certainly not applied, may be repeated.
  package var transientPerMille: Int
  /// The call never arrives, and the caller cannot know.
  package var lostCallPerMille: Int
  /// The call is carried out and its reply never arrives.
  package var lostReplyPerMille: Int
  /// What the draws follow from.
  package var seed: UInt64

  /// Without arguments: no latency, no faults.
  package init(
    latencyMin: TimeSpan = .zero, latencyMax: TimeSpan = .zero, transientPerMille: Int = 0, lostCallPerMille: Int = 0,
    lostReplyPerMille: Int = 0, seed: UInt64 = 1
  ) {
    self.latencyMin = latencyMin
    self.latencyMax = latencyMax
    self.transientPerMille = transientPerMille
    self.lostCallPerMille = lostCallPerMille
    self.lostReplyPerMille = lostReplyPerMille
    self.seed = seed
  }
}

/// What the way does to one call.
enum NetworkFate: Hashable {
  case arrives
  case transient
  case lostCall
  case lostReply
}

/// The draws for one call after another.
struct NetworkDraws {
  private let network: SandboxNetwork
  private var random: SplitMix64

  init(_ network: SandboxNetwork) {
    self.network = network
    random = SplitMix64(seed: network.seed)
  }

  /// The next call's fate and latency.
  mutating func next() -> (fate: NetworkFate, latency: TimeSpan) {
    let width = UInt64(max(0, (network.latencyMax - network.latencyMin).nanoseconds))
    let latency = network.latencyMin + TimeSpan(nanoseconds: width == 0 ? 0 : Int64(random.next() % (width + 1)))
    guard network.transientPerMille + network.lostCallPerMille + network.lostReplyPerMille > 0 else {
      return (.arrives, latency)
    }
    var rest = random.below(1000)
    for (fate, rate) in [
      (NetworkFate.transient, network.transientPerMille), (.lostCall, network.lostCallPerMille),
      (.lostReply, network.lostReplyPerMille),
    ] {
      if rest < rate { return (fate, latency) }
      rest -= rate
    }
    return (.arrives, latency)
  }
}
