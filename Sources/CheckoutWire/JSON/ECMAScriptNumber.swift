// Doubles as text by the rules of ECMAScript's Number::toString, which RFC 8785 §3.2.2.3 asks for.

/// The text of a finite double: shortest digits that read back the same, laid out as ECMAScript lays them out. `-0` is
/// `0`. JSON has no other numbers; a value that is not finite is written as `null`.
package func ecmaScriptText(_ value: Double) -> String {
  guard value.isFinite else { return "null" }
  if value == 0 { return "0" }
  let (digits, point) = shortestDigits(value.magnitude)
  let sign = value < 0 ? "-" : ""
  let text = String(decoding: digits, as: UTF8.self)
  let count = digits.count
  if count <= point && point <= 21 {
    return sign + text + String(repeating: "0", count: point - count)
  }
  if point > 0 && point <= 21 {
    return sign + text.prefix(point) + "." + text.dropFirst(point)
  }
  if point > -6 && point <= 0 {
    return sign + "0." + String(repeating: "0", count: -point) + text
  }
  let exponent = point - 1
  let mantissa = count == 1 ? text : text.prefix(1) + "." + text.dropFirst(1)
  return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + "\(exponent.magnitude)"
}

// Swift's description has the shortest digits; only its layout differs. `point` is where the decimal point stands,
// counted from the first digit: 0.digits × 10^point.
private func shortestDigits(_ value: Double) -> (digits: [UInt8], point: Int) {
  var digits: [UInt8] = []
  var point = 0
  var exponent = 0
  var seenPoint = false
  var rest = Array(value.description.utf8)[...]
  while let byte = rest.popFirst() {
    if byte == 0x2E {
      seenPoint = true
    } else if byte == 0x65 {
      exponent = Int(String(decoding: rest, as: UTF8.self)) ?? 0
      break
    } else {
      digits.append(byte)
      if !seenPoint { point += 1 }
    }
  }
  let zeros = digits.prefix { $0 == 0x30 }.count
  digits.removeFirst(zeros)
  while digits.last == 0x30 { digits.removeLast() }
  return (digits, point - zeros + exponent)
}
