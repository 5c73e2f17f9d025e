// A connection address as libpq reads it.

import CPostgres

/// One of libpq's connection parameters.
struct ConnectionOption: Hashable {
  /// libpq's name: `host`, `sslmode` …
  let keyword: String
  /// Never logged as it is: may be a secret.
  let value: String

  /// The parameters that an address (`postgres://…`) names. The failure is libpq's own words.
  static func parse(_ address: String) -> Result<[ConnectionOption], AddressProblem> {
    var words: UnsafeMutablePointer<CChar>?
    // SAFETY: the out-pointer lives on this stack; libpq's two answers are ours and freed below.
    guard let list = unsafe PQconninfoParse(address, &words) else {
      defer { unsafe PQfreemem(words) }
      return .failure(
        AddressProblem(description: unsafe words.map { unsafe String(cString: $0) }?.oneLine ?? "out of memory"))
    }
    defer { unsafe PQconninfoFree(list) }
    var options: [ConnectionOption] = []
    var entry = unsafe list
    // SAFETY: the list ends with a null keyword.
    while let keyword = unsafe entry.pointee.keyword {
      if let value = unsafe entry.pointee.val {
        options.append(unsafe ConnectionOption(keyword: String(cString: keyword), value: String(cString: value)))
      }
      unsafe entry += 1
    }
    return .success(options)
  }
}

/// libpq does not take the address; its words may repeat parts of it.
struct AddressProblem: Error, Hashable {
  let description: String
}
