// The one protocol of all checks of a verification, and what a check can say.

/// A broken promise.
package struct Violation: Hashable, Sendable {
  /// `G1` to `G7`, as the README lists them.
  package let promise: String
  /// The check that found it.
  package let check: String
  /// The order it is about; nil: none can be named.
  package let checkoutID: String?
  /// What is wrong, in one line.
  package let detail: String
}

/// Why something cannot be told. Raw values are for machines.
package enum Doubt: String, Hashable, CaseIterable, Sendable {
  /// No journal was given, or it cannot be read.
  case noJournal = "no_journal"
  /// The services' ledger cannot be asked.
  case noLedger = "no_ledger"
  /// Younger than `--grace`: it may still be on its way.
  case young
  /// Not ended yet.
  case open
  /// The records are gone from their topic.
  case retention
  /// A person said that it was settled by other means than the services.
  case outside
  /// A redacted letter keeps only a part of its message.
  case partial

  /// A few words for people.
  package var text: String {
    switch self {
    case .noJournal: "no journal to look at"
    case .noLedger: "no ledger to look at"
    case .young: "younger than the grace"
    case .open: "not ended yet"
    case .retention: "gone from the topic"
    case .outside: "settled by other means"
    case .partial: "redacted"
    }
  }
}

/// What a check comes to. Raw values are for machines.
package enum Verdict: String, Hashable, CaseIterable, Sendable {
  case clean
  case violated
  case cannotTell = "cannot_tell"
}

/// What one check found.
package struct CheckReport: Sendable {
  /// The check's name, for people and machines.
  package let name: String
  /// `G1` to `G7`.
  package let promise: String
  /// What is proved if it is clean.
  package let claim: String
  /// Things looked at and judged.
  package private(set) var checked = 0
  /// Things found wrong.
  package private(set) var violations: [Violation] = []
  /// Things that could not be judged, by reason.
  package private(set) var doubts: [Doubt: Int] = [:]

  init(name: String, promise: String, claim: String) {
    self.name = name
    self.promise = promise
    self.claim = claim
  }

  mutating func pass() { checked += 1 }

  mutating func violate(_ checkoutID: String?, _ detail: String) {
    checked += 1
    violations.append(Violation(promise: promise, check: name, checkoutID: checkoutID, detail: detail))
  }

  mutating func doubt(_ reason: Doubt, _ count: Int = 1) { doubts[reason, default: 0] += count }

  /// Something not told never counts as clean.
  package var verdict: Verdict {
    if !violations.isEmpty { return .violated }
    return doubts.isEmpty ? .clean : .cannotTell
  }
}

/// One promise looked at from one side. Sees only the evidence.
protocol ProofCheck: Sendable {
  func examine(_ evidence: Evidence) -> CheckReport
}
