// The three stages by name, and what each consumes.

import CheckoutWire
import Operations

/// A stage as the command line names it.
enum StageName: String, CaseIterable, Sendable {
  case validation
  case facade
  case reconciliation

  /// The topic it consumes.
  var input: TopicRole {
    switch self {
    case .validation: .requests
    case .facade: .validated
    case .reconciliation: .pending
    }
  }

  /// The stages a `--stage` value means.
  static func read(_ text: String?) throws(Problem) -> [StageName] {
    guard let text, text != "all" else { return allCases }
    var stages: [StageName] = []
    for part in text.split(separator: ",") {
      guard let stage = StageName(rawValue: String(part)) else {
        let hint = NearestName.hint(String(part), among: allCases.map(\.rawValue) + ["all"])
        throw .usage(
          "--stage \(text): there is no stage \(part)\(hint)", remedy: "use validation, facade, reconciliation or all")
      }
      if !stages.contains(stage) { stages.append(stage) }
    }
    guard !stages.isEmpty else {
      throw .usage("--stage is empty", remedy: "use validation, facade, reconciliation or all")
    }
    return stages
  }
}
