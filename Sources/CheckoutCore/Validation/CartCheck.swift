// The check `cart`: are there lines, and can they be told apart and counted?

/// `empty_cart`, `invalid_quantity`, `duplicate_line`, `cart_too_large`, in this order.
///
/// A quantity below 1 rests on the content alone and is reported before one above the configured maximum, so that a
/// change of that maximum cannot turn a final refusal into another. The maximum of lines is configured too.
package struct CartCheck: Check {
  /// `cart` in configuration, meters and logs.
  package var name: CheckName { .cart }

  private let quantityMax: Int64
  private let linesMax: Int

  /// Lines of at most `quantityMax` pieces, at most `linesMax` of them.
  package init(quantityMax: Int64, linesMax: Int) {
    self.quantityMax = quantityMax
    self.linesMax = linesMax
  }

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    let lines = request.lines
    if lines.isEmpty {
      return .refused(Refusal(.emptyCart, path: "/items", message: "The cart has no lines."), .content)
    }
    if let index = lines.firstIndex(where: { $0.quantity < 1 }) {
      let message = "The quantity of a line must be at least 1."
      return .refused(Refusal(.invalidQuantity, path: "/items/\(index)/quantity", message: message), .content)
    }
    if let index = lines.firstIndex(where: { $0.quantity > quantityMax }) {
      let message = "The quantity of a line must be at most \(quantityMax)."
      return .refused(Refusal(.invalidQuantity, path: "/items/\(index)/quantity", message: message), .changeable)
    }
    if let index = Self.firstRepeat(in: lines) {
      let message = "Another line of the cart has this line_id already."
      return .refused(Refusal(.duplicateLine, path: "/items/\(index)/line_id", message: message), .content)
    }
    if lines.count > linesMax {
      let message = "The cart has more lines than the \(linesMax) that are allowed."
      return .refused(Refusal(.cartTooLarge, path: "/items", message: message), .changeable)
    }
    return .passed
  }

  /// Index of the first line whose `line_id` an earlier line has.
  private static func firstRepeat(in lines: [CheckoutRequest.Line]) -> Int? {
    // Most carts are small: comparing a few short strings is quicker than hashing them.
    if lines.count <= 8 {
      return lines.indices.first { index in lines[..<index].contains { $0.lineID == lines[index].lineID } }
    }
    var seen = Set<String>(minimumCapacity: lines.count)
    return lines.firstIndex { !seen.insert($0.lineID).inserted }
  }
}
