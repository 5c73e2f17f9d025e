// Where a PostgreSQL journal is: an address as libpq takes it, without a secret in it.

package import Operations

/// An address that was checked, with our defaults added.
package struct PostgresLocation: Hashable, Sendable, CustomStringConvertible {
  /// What libpq is given.
  let options: [ConnectionOption]
  /// The address as given; there is no secret in it.
  package let description: String

  /// Used unless the address says otherwise. Times: a dead network is noticed within a worker's lease (10 s).
  private static let defaults = [
    ConnectionOption(keyword: "connect_timeout", value: "5"),
    ConnectionOption(keyword: "tcp_user_timeout", value: "5000"),
    ConnectionOption(keyword: "keepalives_idle", value: "5"),
    ConnectionOption(keyword: "keepalives_interval", value: "2"),
    ConnectionOption(keyword: "keepalives_count", value: "3"),
    ConnectionOption(keyword: "application_name", value: "checkout"),
    ConnectionOption(keyword: "client_encoding", value: "UTF8"),
  ]
  private static let secrets: Set<String> = ["password", "sslpassword"]

  /// What libpq is given, for one host after the other: libpq by itself would wait for ever for one that does not answer.
  var hosts: [[ConnectionOption]] {
    let list = { (keyword: String) -> [String] in
      let value = options.first { $0.keyword == keyword }?.value ?? ""
      return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(names.count, addresses.count)
    if count <= 1 { return [options] }
    return (0..<count).map { number in
      options.map { option in
        let choice =
          switch option.keyword {
          case "host": names.count > number ? names[number] : names[0]
          case "hostaddr": addresses.count > number ? addresses[number] : addresses[0]
          case "port": ports.count > number ? ports[number] : ports[0]
          default: option.value
          }
        return ConnectionOption(keyword: option.keyword, value: choice)
      }
    }
  }

  /// True if `text` names a PostgreSQL journal.
  package static func isPostgres(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  /// Reads an address. Throws what a person has to do (exit 2); no message repeats the address, which may hold a password.
  package init(_ address: String) throws(Problem) {
    let given: [ConnectionOption]
    switch ConnectionOption.parse(address) {
    case .success(let options): given = options
    case .failure:
      throw .usage(
        "the journal's address is not one that libpq takes",
        remedy: "write it like postgres://user@host:5432/database?sslmode=verify-full")
    }
    if let secret = given.first(where: { Self.secrets.contains($0.keyword) }) {
      throw .usage(
        "the journal's address holds a secret (\(secret.keyword)), which `ps` and logs would show",
        remedy: "leave it out and use PGPASSFILE (~/.pgpass), PGPASSWORD or a service file (?service=NAME)")
    }
    let keywords = Set(given.map(\.keyword))
    // Of several hosts the one that takes writes is meant.
    let several = given.contains { $0.keyword == "host" && $0.value.contains(",") }
    let target = several ? [ConnectionOption(keyword: "target_session_attrs", value: "read-write")] : []
    options = given + (Self.defaults + target).filter { !keywords.contains($0.keyword) }
    description = address
  }

  /// The address with whatever might be a secret left out, for places that show settings.
  package static func masked(_ address: String) -> String {
    guard isPostgres(address), (try? PostgresLocation(address)) == nil else { return address }
    let scheme = address.prefix { $0 != ":" }
    return "\(scheme)://(hidden: it holds a secret, or is no address)"
  }
}
