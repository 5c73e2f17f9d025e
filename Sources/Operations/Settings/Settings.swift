// The settings in force: flags over environment over file over defaults, each with where it came from.

/// Where a value came from.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
  case standard
  case file(path: String, line: Int)
  case environment(variable: String)
  case flag(String)

  package var description: String {
    switch self {
    case .standard: "default"
    case .file(let path, let line): "\(path):\(line)"
    case .environment(let variable): variable
    case .flag(let flag): flag
    }
  }
}

/// A value and where it came from.
package struct ResolvedSetting: Hashable, Sendable {
  /// Its row of the table.
  package let definition: SettingDefinition
  /// Nil: not set, and no default.
  package let value: SettingValue?
  /// Where the value came from.
  package let origin: SettingOrigin
}

/// A setting given on the command line.
package struct SettingFlag: Hashable, Sendable {
  /// `section.key`
  package let name: String
  /// As typed.
  package let value: String
  /// The flag as typed, for messages: `--brokers`, `--set worker.drain`.
  package let flag: String

  package init(name: String, value: String, flag: String) {
    self.name = name
    self.value = value
    self.flag = flag
  }
}

/// A property that is passed through to a library, unread.
package struct PassedProperty: Hashable, Sendable {
  /// The library's name of it, for example `sasl.mechanism`.
  package let name: String
  /// May be a secret: never shown.
  package let value: String
  /// Where it came from.
  package let origin: SettingOrigin
}

/// All settings, resolved and in range.
package struct Settings: Hashable, Sendable {
  /// In the table's order.
  package let all: [ResolvedSetting]
  /// Properties of the pass-through section; a later origin has replaced an earlier one.
  package let passed: [PassedProperty]
  private let byName: [String: ResolvedSetting]

  init(all: [ResolvedSetting], passed: [PassedProperty]) {
    self.all = all
    self.passed = passed
    byName = Dictionary(all.map { ($0.definition.name, $0) }) { first, _ in first }
  }

  /// The value of a setting. Precondition: it is of the table these settings were resolved with.
  package subscript<Value>(_ setting: Setting<Value>) -> Value {
    guard let found = byName[setting.definition.name], let value = setting.convert(found.value) else {
      preconditionFailure("\(setting.definition.name) is not in the table of settings")
    }
    return value
  }

  /// Where the value came from. Precondition: as for the value.
  package func origin<Value>(of setting: Setting<Value>) -> SettingOrigin {
    guard let found = byName[setting.definition.name] else {
      preconditionFailure("\(setting.definition.name) is not in the table of settings")
    }
    return found.origin
  }
}

extension Settings {
  /// The settings as a table for people, secrets masked.
  package func table(columns: Int? = nil) -> String {
    var table = TextTable([("SETTING", .left), ("VALUE", .left), ("FROM", .left)])
    for setting in all { table.add([setting.definition.name, shown(setting) ?? "(not set)", "\(setting.origin)"]) }
    for property in passed { table.add(["kafka.\(property.name)", Self.mask(property), "\(property.origin)"]) }
    return table.text(columns: columns)
  }

  /// The settings as one JSON object for machines, secrets masked: `{"worker.drain": {"value": …, "origin": …}, …}`.
  package func json() -> String {
    var members = all.map { setting in
      let value = shown(setting).map(JSONText.quoted) ?? "null"
      return member(setting.definition.name, value, setting.origin)
    }
    members += passed.map { member("kafka.\($0.name)", JSONText.quoted(Self.mask($0)), $0.origin) }
    return "{\n" + members.joined(separator: ",\n") + "\n}\n"
  }

  private func member(_ name: String, _ value: String, _ origin: SettingOrigin) -> String {
    "  \(JSONText.quoted(name)): {\"value\": \(value), \"origin\": \(JSONText.quoted(origin.description))}"
  }

  private func shown(_ setting: ResolvedSetting) -> String? {
    guard let value = setting.value else { return nil }
    return setting.definition.isSecret ? "****" : SettingParser.text(value).withoutPassword
  }

  /// Nobody knows which of a library's properties are secret, so only names that look harmless are shown.
  private static func mask(_ property: PassedProperty) -> String {
    let name = property.name.lowercased()
    let isSecret = ["password", "secret", "key", "token", "credential", "pem", "jaas", "username", "config"].contains {
      name.contains($0)
    }
    return isSecret ? "****" : property.value
  }
}

extension String {
  /// An address (`scheme://user:password@host`) without its password: it is refused where it is used, and must not be shown
  /// before that. Other texts as they are.
  package var withoutPassword: String {
    guard let scheme = firstRange(of: "://") else { return self }
    let rest = self[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    var shown = String(rest)
    if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
      shown = rest[..<colon] + ":****" + rest[at...]
    }
    guard let query = shown.firstIndex(of: "?") else { return self[..<scheme.upperBound] + shown }
    let parts = shown[shown.index(after: query)...].split(separator: "&", omittingEmptySubsequences: false)
    let words = parts.map { part in
      part.lowercased().contains("password=") ? part.prefix { $0 != "=" } + "=****" : String(part)
    }
    return self[..<scheme.upperBound] + shown[...query] + words.joined(separator: "&")
  }
}
