// The name of a journal: two journals never share one.

/// Makes journal ids.
package enum JournalID {
  /// 128 bits from the system's generator, as hex.
  package static func drawn() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    return String((0..<32).map { _ in digits[Int(truncatingIfNeeded: generator.next() & 15)] })
  }
}
