// docs/states.md as text, from the table that the machine itself gives.

import CheckoutCore

/// Writes the table and its diagram in Markdown.
struct StateDocument {
  let table: StateTable

  var text: String {
    """
    # States of an attempt

    Written by `make states` from the state machine itself: every shape of row meets every answer of every service, and what
    the machine does is noted here. A test fails while this page says something else. Several results for one event are
    those of different rows: a cancellation recorded or not, a hold that lasts or not, facade or reconciliation, first or
    last try. **Bold** is a new state; everything else leaves the state as it is. `parked` is a mark: the state below it
    stays, and a person's `retry` goes on there.

    ## Diagram

    ```mermaid
    \(diagram)
    ```

    ## Table

    \(StateKind.allCases.map(section).joined(separator: "\n\n"))

    ## Messages

    What a message does to an attempt in each state, when no live worker owns it.

    \(messages)

    """
  }

  private var diagram: String {
    var lines = ["stateDiagram-v2", "  [*] --> reserving"]
    var merged: [[String]: Set<String>] = [:]
    for (from, targets) in table.edges {
      for (to, events) in targets {
        merged[[from.isParked ? "parked" : from.kind.rawValue, to.isParked ? "parked" : to.kind.rawValue], default: []]
          .formUnion(events.map { $0.replacing(" look-up", with: "").replacing(":", with: "") })
      }
    }
    for pair in merged.keys.sorted(by: { Self.rank($0).lexicographicallyPrecedes(Self.rank($1)) })
    where pair[0] != pair[1] {
      let events = (merged[pair] ?? []).filter { !$0.hasPrefix("(") }.sorted()
      let label = events.prefix(4).joined(separator: ", ") + (events.count > 4 ? ", …" : "")
      lines.append("  \(pair[0]) --> \(pair[1])" + (events.isEmpty ? "" : " : \(label)"))
    }
    return (lines + ["  completed --> [*]", "  failed --> [*]", "  cancelled --> [*]"]).joined(separator: "\n")
  }

  private static func rank(_ pair: [String]) -> [Int] {
    pair.map { name in StateKind.allCases.firstIndex { $0.rawValue == name } ?? StateKind.allCases.count }
  }

  private func section(_ state: StateKind) -> String {
    let rows = (table.results[state] ?? [:]).sorted { $0.key < $1.key }
    let lines = rows.map { "| \($0.key) | \($0.value.sorted().joined(separator: "; ")) |" }
    return (["### \(state.rawValue)", "", "| answer | result |", "|---|---|"] + lines).joined(separator: "\n")
  }

  private var messages: String {
    let states = StateKind.allCases.map(\.rawValue) + ["parked, money held", "parked, no money held"]
    return states.map { state in
      let results = table.messages[state] ?? [:]
      let lines = MessageKind.allCases.compactMap { kind in
        results[kind].map { "| \(kind.words) | \($0.sorted().joined(separator: "; ")) |" }
      }
      return (["### \(state): messages", "", "| message | result |", "|---|---|"] + lines).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
