// Arithmetic on money: overflow is a value.

import CheckoutCore
import Testing

@Suite("Amount")
struct AmountTests {
  private func amount(_ minor: Int64, _ code: String = "EUR") throws -> Amount {
    Amount(minor: minor, currency: try #require(Currency(code: code)))
  }

  @Test(
    "adds up to the limits of 64 bits and no further",
    arguments: [
      (1, 2, 3), (.max, 0, .max), (.max - 1, 1, .max), (.max, 1, nil), (.max, .max, nil), (.min, 0, .min),
      (.min, -1, nil), (.max, .min, -1),
    ] as [(Int64, Int64, Int64?)])
  func adding(left: Int64, right: Int64, sum: Int64?) throws {
    let result = try amount(left).adding(amount(right))
    #expect(try result == sum.map { .success(try amount($0)) } ?? .failure(.overflow))
  }

  @Test(
    "subtracts down to the limits of 64 bits and no further",
    arguments: [
      (3, 2, 1), (0, .max, -.max), (-1, .max, .min), (-2, .max, nil), (0, .min, nil), (.min, 1, nil), (.min, .min, 0),
    ] as [(Int64, Int64, Int64?)])
  func subtracting(left: Int64, right: Int64, difference: Int64?) throws {
    let result = try amount(left).subtracting(amount(right))
    #expect(try result == difference.map { .success(try amount($0)) } ?? .failure(.overflow))
  }

  @Test(
    "multiplies by a quantity without trapping",
    arguments: [
      (1999, 2, 3998), (.max, 1, .max), (.max, 2, nil), (.max, 0, 0), (4_611_686_018_427_387_904, 2, nil),
      (4_611_686_018_427_387_903, 2, .max - 1), (.min, -1, nil), (-5, 3, -15), (3_037_000_500, 3_037_000_500, nil),
    ] as [(Int64, Int64, Int64?)])
  func multiplying(minor: Int64, quantity: Int64, product: Int64?) throws {
    let result = try amount(minor).multiplied(by: quantity)
    #expect(try result == product.map { .success(try amount($0)) } ?? .failure(.overflow))
  }

  @Test("does not mix currencies")
  func currencies() throws {
    #expect(try amount(1).adding(amount(1, "USD")) == .failure(.currencyMismatch))
    #expect(try amount(1).subtracting(amount(1, "JPY")) == .failure(.currencyMismatch))
  }
}
