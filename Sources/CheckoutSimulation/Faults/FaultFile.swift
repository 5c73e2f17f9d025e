// Rates of faults from a JSON file: `{"commit_reply_lost": 50, "journal_request_lost": 10}`, per mille.

import CheckoutWire

/// Why a file of rates cannot be used.
package struct FaultFileError: Error, Hashable, Sendable {
  /// One line: what is wrong and what may stand there.
  package let message: String
}

extension FaultRates {
  /// Rates from the file's bytes; what it does not name does not happen.
  package static func decode(_ bytes: [UInt8]) throws(FaultFileError) -> FaultRates {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue(parsing: bytes[...])
    } catch {
      throw FaultFileError(message: error.detail)
    }
    guard root.kind == .object else {
      throw FaultFileError(message: "needs an object of fault names and rates")
    }
    var rates = FaultRates()
    for member in root.members {
      guard let kind = FaultKind(rawValue: member.name) else {
        let names = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw FaultFileError(message: "no fault is called \(member.name); there are: \(names)")
      }
      guard let rate = member.value.integer, (0...1000).contains(rate) else {
        throw FaultFileError(message: "\(member.name) needs a number from 0 to 1000 (per mille)")
      }
      rates[kind] = Int(rate)
    }
    return rates
  }
}
