// Reference data from compacted topics, record by record.
import CheckoutCore
import CheckoutWire
import Testing

struct ReferenceFeedTests {
  private let account = AccountKey(merchantID: "m", accountID: "a")
  private let price = PriceKey(merchantID: "m", sku: "s", currency: "EUR")
  private static let accountValue = #"{"merchant_id":"m","account_id":"a","status":"enabled"}"#
  private static let priceValue = #"{"merchant_id":"m","sku":"s","currency":"EUR","unit_price_minor":1999}"#

  private func apply(
    _ feed: inout ReferenceFeed, _ topic: ReferenceTopic, _ key: String?, _ value: String?, partition: Int32 = 0,
    offset: Int64 = 0
  ) -> String? {
    feed.apply(
      key: key.map { Array($0.utf8) }, value: value.map { Array($0.utf8) },
      at: ReferenceFeed.Place(topic: topic, partition: partition, offset: offset))
  }

  private func loaded() -> ReferenceFeed {
    var feed = ReferenceFeed()
    #expect(apply(&feed, .accounts, "1", Self.accountValue, offset: 3) == nil)
    #expect(apply(&feed, .prices, "1", Self.priceValue, offset: 7) == nil)
    for topic in ReferenceTopic.allCases { feed.complete(topic) }
    return feed
  }

  @Test func `nothing is believed before both topics were read to their ends`() {
    var feed = ReferenceFeed()
    #expect(apply(&feed, .accounts, "1", Self.accountValue) == nil)
    feed.complete(.accounts)
    #expect(!feed.isComplete)
    #expect(feed.snapshot().prices.answer(for: price) == .notLoaded)
    feed.complete(.prices)
    #expect(feed.isComplete)
    #expect(feed.snapshot().accounts.answer(for: account) == .known(.enabled))
    #expect(feed.snapshot().prices.answer(for: price) == .absent)
  }

  @Test func `the newest record of a key counts`() {
    var feed = loaded()
    let disabled = #"{"merchant_id":"m","account_id":"a","status":"disabled"}"#
    #expect(apply(&feed, .accounts, "1", disabled, offset: 4) == nil)
    #expect(feed.snapshot().accounts.answer(for: account) == .known(.disabled))
  }

  @Test func `a tombstone takes its entry away`() {
    var feed = loaded()
    #expect(apply(&feed, .prices, "1", nil, offset: 8) == nil)
    #expect(feed.snapshot().prices.answer(for: price) == .absent)
    #expect(apply(&feed, .prices, "never seen", nil, offset: 9) == nil)
  }

  @Test func `a key that turns to another entry takes the old one away`() {
    var feed = loaded()
    let other = #"{"merchant_id":"m","sku":"t","currency":"EUR","unit_price_minor":5}"#
    #expect(apply(&feed, .prices, "1", other, offset: 8) == nil)
    #expect(feed.snapshot().prices.answer(for: price) == .absent)
    let key = PriceKey(merchantID: "m", sku: "t", currency: "EUR")
    #expect(feed.snapshot().prices.answer(for: key) == .known(5))
  }

  @Test(arguments: ["{", "[]", #"{"merchant_id":"m","sku":"s","currency":"EUR","unit_price_minor":19.99}"#])
  func `a damaged record is named and its entry is gone`(value: String) {
    var feed = loaded()
    #expect(apply(&feed, .prices, "1", value, offset: 8) != nil)
    #expect(feed.snapshot().prices.answer(for: price) == .absent)
  }

  @Test func `a record without a key is refused`() {
    var feed = loaded()
    #expect(apply(&feed, .prices, nil, Self.priceValue, offset: 8) != nil)
    #expect(feed.snapshot().prices.answer(for: price) == .known(1999))
  }

  @Test func `the version tells up to where each partition was read`() {
    var feed = loaded()
    #expect(feed.snapshot().version.text == "topics:accounts 0@4;prices 0@8")
    #expect(apply(&feed, .prices, "2", nil, partition: 2, offset: 11) == nil)
    #expect(feed.snapshot().version.text == "topics:accounts 0@4;prices 0@8,2@12")
  }
}
