// What a checkout costs, computed from its parts with every step checked: the money check judges with it, and
// `ValidatedRequest` proves itself with it.

/// The sums of one request, in minor units of its currency; all of them ≥ 0.
package struct CheckoutTotal: Hashable, Sendable {
  /// Σ quantity × unit price.
  package let lines: Int64
  /// Σ discounts, at most `lines`.
  package let discounts: Int64
  /// Lines − discounts + tax + shipping.
  package let total: Int64

  /// Why a request has no total. `path` is the JSON Pointer of the part at fault.
  package enum Fault: Error, Hashable, Sendable {
    /// An amount is negative.
    case negative(path: String)
    /// A sum or product does not fit into 64 bits.
    case overflow(path: String)
    /// The discounts are together more than the lines.
    case discountsAboveLines
  }

  /// The sums of `request`, or the first fault: any negative amount, then any overflow, then the discounts.
  ///
  /// Expects quantities ≥ 1 (the cart check); a smaller one counts as a negative amount, so that no line can ever be
  /// set off against another.
  package static func compute(_ request: CheckoutRequest) -> Result<CheckoutTotal, Fault> {
    if let path = firstNegative(in: request) { return .failure(.negative(path: path)) }
    var lines: Int64 = 0
    for (index, line) in request.lines.enumerated() {
      let (product, tooLarge) = line.unitPriceMinor.multipliedReportingOverflow(by: line.quantity)
      let (sum, overflow) = lines.addingReportingOverflow(product)
      if tooLarge || overflow { return .failure(.overflow(path: "/items/\(index)")) }
      lines = sum
    }
    var discounts: Int64 = 0
    for (index, discount) in request.discounts.enumerated() {
      let (sum, overflow) = discounts.addingReportingOverflow(discount.amountMinor)
      if overflow { return .failure(.overflow(path: "/discounts/\(index)/amount_minor")) }
      discounts = sum
    }
    // Both are ≥ 0, so the difference fits. It may be negative until the discounts are judged below; an overflow of
    // the sums after it is one of the true total, because tax and shipping only add.
    let (withTax, taxOverflow) = (lines - discounts).addingReportingOverflow(request.taxMinor)
    if taxOverflow { return .failure(.overflow(path: "/tax_minor")) }
    let (total, shippingOverflow) = withTax.addingReportingOverflow(request.shippingMinor)
    if shippingOverflow { return .failure(.overflow(path: "/shipping_minor")) }
    guard discounts <= lines else { return .failure(.discountsAboveLines) }
    return .success(CheckoutTotal(lines: lines, discounts: discounts, total: total))
  }

  private static func firstNegative(in request: CheckoutRequest) -> String? {
    for (index, line) in request.lines.enumerated() {
      if line.unitPriceMinor < 0 { return "/items/\(index)/unit_price_minor" }
      if line.quantity < 1 { return "/items/\(index)/quantity" }
    }
    for (index, discount) in request.discounts.enumerated() where discount.amountMinor < 0 {
      return "/discounts/\(index)/amount_minor"
    }
    if request.taxMinor < 0 { return "/tax_minor" }
    if request.shippingMinor < 0 { return "/shipping_minor" }
    return nil
  }
}
