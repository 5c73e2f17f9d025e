// What a person sees of parked attempts.

import CheckoutCore
import CheckoutTools
import Foundation
import JournalSamples
import Testing

@Suite("Parked items")
struct ParkedItemTests {
  static let start = SampleAttempts.start

  /// A paid attempt whose receipt was refused two minutes after the start.
  static func row(
    _ number: Int, reason: ParkReason = .receiptRefused, after: TimeSpan = .seconds(120),
    _ change: (inout Attempt) -> Void = { _ in }
  ) throws -> Attempt {
    var row = try #require(SampleAttempts.new("key-0123456789-\(number)", checkout: "chk_\(number)"))
    row.version = 4
    row.state = .receipting
    row.charge.status = .captured(chargeID: "ch_\(number)", amount: row.amount)
    row.holds[0] = Hold(generation: 1, status: .confirmed, reservationID: "res_\(number)")
    row.parked = Parked(reason: reason, detail: "the address is refused", at: start + after)
    change(&row)
    return row
  }

  private func views(_ rows: [Attempt]) -> [AttemptView] { rows.map { AttemptView(attempt: $0, ownedUntil: nil) } }

  @Test("filters leave what fits, longest waiting first; what is not parked is left out")
  func filters() throws {
    let rows = [
      try Self.row(1), try Self.row(2, after: .seconds(60)), try Self.row(3, reason: .refundRefused),
      try Self.row(4) { $0.parked = nil },
    ]
    let now = Self.start + .seconds(180)
    func ids(_ filter: ParkedFilter) -> [String] {
      filter.items(of: views(rows), at: now).map(\.row.identity.checkoutID)
    }
    #expect(ids(ParkedFilter()) == ["chk_2", "chk_1", "chk_3"])
    #expect(ids(ParkedFilter(reason: .refundRefused)) == ["chk_3"])
    #expect(ids(ParkedFilter(olderThan: .seconds(90))) == ["chk_2"])
    #expect(ids(ParkedFilter(olderThan: .seconds(60))) == ["chk_2", "chk_1", "chk_3"])
    #expect(ids(ParkedFilter(merchantID: "nobody")) == [])
  }

  @Test("the table fits 80 columns; a checkout's id is never cut")
  func table() throws {
    let long = "chk_" + String(repeating: "9", count: 30)
    let items = try [
      Self.row(1),
      Self.row(2, reason: .refundBudgetSpent) {
        $0.compensation = Compensation(kind: .refund, chargeID: "ch_2", amount: $0.amount)
      },
    ].map { try #require(ParkedItem($0)) }
    let text = ParkedText.table(items, at: Self.start + .seconds(300), columns: nil)
    #expect(
      text.split(separator: "\n").map(String.init) == [
        "AGE  CHECKOUT  MERCHANT     AMOUNT  MONEY      REASON               DETAIL",
        " 3m  chk_1     shop-eu   90.38 EUR  held       receipt_refused      the address…",
        " 3m  chk_2     shop-eu   90.38 EUR  owed back  refund_budget_spent  the address…",
      ])
    let row = try #require(SampleAttempts.new("key-0123456789-9", checkout: long))
    var parked = row
    parked.parked = Parked(reason: .chargeUnknown, detail: "d", at: Self.start)
    let wide = ParkedText.table([try #require(ParkedItem(parked))], at: Self.start, columns: nil)
    #expect(wide.contains(long))
  }

  @Test("a page says what is owed, what happened, and which commands help", arguments: ParkReason.allCases)
  func page(reason: ParkReason) throws {
    let history = [
      RecordedWrite(
        version: 4, at: Self.start + .seconds(120), writeID: "w",
        steps: [Step("parked", [.init("reason", reason.rawValue), .init("note", "")])])
    ]
    let item = try #require(ParkedItem(try Self.row(1, reason: reason), history: history))
    let page = ParkedText.page(item, at: Self.start + .seconds(300), columns: nil)
    #expect(page.contains("reason       \(reason.rawValue)\n"))
    #expect(page.contains("still owed   receipt\n"))
    #expect(page.contains("2026-11-30T12:02:00Z v4 parked: reason=\(reason.rawValue)\n"))
    #expect(page.contains("checkout parked resolve chk_1 --as "))
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("JSON has the numbers a script needs")
  func json() throws {
    let item = try #require(ParkedItem(try Self.row(1), history: []))
    let text = item.json(at: Self.start + .seconds(300))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["checkout_id"] as? String == "chk_1")
    #expect(object["age_seconds"] as? Int == 180)
    #expect(object["amount_minor"] as? Int == 9038)
    #expect(object["holds_money"] as? Bool == true)
    #expect(object["row_version"] as? Int == 4)
    #expect(object["open_obligations"] as? [String] == ["receipt"])
    #expect((object["history"] as? [Any])?.isEmpty == true)
  }

  @Test(
    "ages as people say them",
    arguments: [
      (0, "0s"), (99, "99s"), (100, "1m"), (5_999, "99m"), (6_000, "1h40m"), (7_260, "2h01m"), (180_000, "2d"),
    ])
  func ages(seconds: Int64, text: String) {
    #expect(AgeText.of(.seconds(seconds)) == text)
  }
}
