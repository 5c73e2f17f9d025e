// A parked attempt as a person sees it: what is wrong, what is owed, what may be done.

package import CheckoutCore
import CheckoutWire
import Operations

/// One parked attempt, and its history where it was asked for.
package struct ParkedItem: Sendable {
  /// The row as it was read; it is parked.
  package let row: Attempt
  /// Why, since when.
  package let parked: Parked
  /// Oldest first; nil: not asked for.
  package let history: [RecordedWrite]?

  /// Nil for a row that is not parked.
  package init?(_ row: Attempt, history: [RecordedWrite]? = nil) {
    guard let parked = row.parked else { return nil }
    self.row = row
    self.parked = parked
    self.history = history
  }

  /// How long it has been waiting at `now`; never negative.
  package func age(at now: Timestamp) -> TimeSpan { max(.zero, now - parked.at) }

  /// Where the money is, in one word: `held`, `owed back`, `none`, `unknown`.
  package var money: String {
    if row.holdsMoney { return row.compensation != nil || row.watch?.owed != nil ? "owed back" : "held" }
    return row.charge.isOpen ? "unknown" : "none"
  }

  /// What is still to be done, in words.
  package var owed: [String] { row.openObligations.map { $0.rawValue.replacing("_", with: " ") } }
}

/// Which parked attempts a person asks for; nil: any.
package struct ParkedFilter: Hashable, Sendable {
  /// Only of this merchant.
  package var merchantID: String?
  /// Only parked for this reason.
  package var reason: ParkReason?
  /// Only parked for at least so long.
  package var olderThan: TimeSpan?

  package init(merchantID: String? = nil, reason: ParkReason? = nil, olderThan: TimeSpan? = nil) {
    self.merchantID = merchantID
    self.reason = reason
    self.olderThan = olderThan
  }

  /// The items that fit, those waiting longest first.
  package func items(of views: [AttemptView], at now: Timestamp) -> [ParkedItem] {
    views.compactMap { ParkedItem($0.attempt) }
      .filter { item in
        merchantID.map { $0 == item.row.identity.merchantID } ?? true && reason.map { $0 == item.parked.reason } ?? true
          && olderThan.map { item.age(at: now) >= $0 } ?? true
      }
      .sorted { left, right in
        (left.parked.at, left.row.identity.checkoutID) < (right.parked.at, right.row.identity.checkoutID)
      }
  }
}

/// A span as people say it: `45s`, `12m`, `3h05m`, `4d`.
package enum AgeText {
  /// The two largest units at most.
  package static func of(_ span: TimeSpan) -> String {
    let seconds = span.nanoseconds / 1_000_000_000
    switch seconds {
    case ..<100: return "\(seconds)s"
    case ..<6_000: return "\(seconds / 60)m"
    case ..<172_800:
      let minutes = seconds % 3_600 / 60
      return "\(seconds / 3_600)h\(minutes < 10 ? "0" : "")\(minutes)m"
    default: return "\(seconds / 86_400)d"
    }
  }
}
