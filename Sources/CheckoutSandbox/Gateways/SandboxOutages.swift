// Outages of the sandbox's services, as a short text that can be changed while they run: a file beside the ledger.

import CheckoutCore

/// What is the matter with which calls. Not remembered under any idempotency key: once it is over, the same call goes through.
package struct SandboxOutages: Hashable, Sendable {
  /// What happens to a call. Raw values are the file's.
  package enum Fault: String, Hashable, CaseIterable, Sendable {
    /// Refused at once and certainly not carried out; may be tried again.
    case down
    /// Never arrives, and no answer comes: the caller gives up after its total time-out.
    case silent
    /// Carried out, and no answer comes.
    case loseReplies = "lose_replies"
    /// Refused for good.
    case refuse
    /// Refused because of our own credentials, whatever is asked.
    case unauthorised
  }

  /// A line of the text that cannot be used.
  package struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line for a person: which line, and what may stand there.
    package let description: String
  }

  /// Calls by service and operation, as they may stand in the text.
  package static let operations = [
    "inventory": ["reserve", "confirm", "release"], "payment": ["charge", "look_up", "void", "refund"],
    "receipt": ["create"],
  ]

  private var faults: [String: Fault] = [:]

  /// All is well.
  package init() {}

  /// Reads lines `SERVICE = FAULT` and `SERVICE.OPERATION = FAULT`; `#` begins a comment. The operation's line wins over
  /// the service's; of two for the same calls the last wins.
  package init(text: String) throws(Unreadable) {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.prefix { $0 != "#" }.filter { $0 != " " && $0 != "\t" && $0 != "\r" }
      if content.isEmpty { continue }
      let parts = content.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, Self.isKnown(parts[0]), let fault = Fault(rawValue: String(parts[1])) else {
        let faults = Fault.allCases.map(\.rawValue).joined(separator: ", ")
        throw Unreadable(
          description:
            "line \(number + 1): write SERVICE = FAULT or SERVICE.OPERATION = FAULT, services inventory, payment, "
            + "receipt, faults \(faults)")
      }
      self.faults[String(parts[0])] = fault
    }
  }

  private static func isKnown(_ place: Substring) -> Bool {
    let parts = place.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let known = operations[parts[0]], parts.count <= 2 else { return false }
    return parts.count == 1 || known.contains(parts[1])
  }

  /// True if nothing is the matter.
  package var isEmpty: Bool { faults.isEmpty }

  /// Sets or ends what is the matter with a service or one of its operations (`receipt`, `payment.refund`).
  package subscript(place: String) -> Fault? {
    get { faults[place] }
    set { faults[place] = newValue }
  }

  /// What happens to a call; nil: nothing.
  func fault(of call: SandboxCall) -> Fault? {
    guard !faults.isEmpty else { return nil }
    let (service, operation) = call.place
    return faults["\(service).\(operation)"] ?? faults[service]
  }
}

extension SandboxCall {
  fileprivate var place: (service: String, operation: String) {
    switch self {
    case .inventory(let call):
      switch call.command {
      case .reserve: ("inventory", "reserve")
      case .confirm: ("inventory", "confirm")
      case .release: ("inventory", "release")
      }
    case .payment(let call):
      switch call.command {
      case .charge: ("payment", "charge")
      case .lookUp: ("payment", "look_up")
      case .void: ("payment", "void")
      case .refund: ("payment", "refund")
      }
    case .receipt: ("receipt", "create")
    }
  }
}
