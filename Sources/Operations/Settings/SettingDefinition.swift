// What settings there are, as a table: name, kind, default, range, help.

/// What a setting's value may be.
package enum SettingKind: Hashable, Sendable {
  case text
  case integer(ClosedRange<Int64>)
  case flag
  /// Nanoseconds; written `250ms`, `10s`, `5m`, `24h`.
  case duration(ClosedRange<Int64>)
  /// Bytes; written `900`, `512KiB`, `64MiB`, `1GiB`.
  case size(ClosedRange<Int64>)
  case choice([String])
  /// `host:port,host:port`
  case addresses
  /// `a,b,c`
  case list
}

/// A host and a port.
package struct HostPort: Hashable, Sendable, CustomStringConvertible {
  /// Name or address; an IPv6 address without its brackets.
  package let host: String
  /// 1 to 65535 (0 only where a listener may choose).
  package let port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A value that was read and is in range.
package enum SettingValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  case flag(Bool)
  case duration(nanoseconds: Int64)
  case size(bytes: Int64)
  case addresses([HostPort])
  case list([String])
}

/// One row of the table.
package struct SettingDefinition: Hashable, Sendable {
  /// `section.key`, both in `snake_case`.
  package let name: String
  /// What it may be.
  package let kind: SettingKind
  /// As one would write it; nil: not set unless somebody sets it.
  package let standard: String?
  /// One sentence.
  package let help: String
  /// True: comes from the environment or files only, and is never shown.
  package let isSecret: Bool

  package init(_ name: String, _ kind: SettingKind, standard: String?, help: String, isSecret: Bool = false) {
    self.name = name
    self.kind = kind
    self.standard = standard
    self.help = help
    self.isSecret = isSecret
  }

  /// The environment variable that sets it: `worker.shutdown_grace` → `CHECKOUT_WORKER_SHUTDOWN_GRACE`.
  package var variable: String {
    "CHECKOUT_" + name.uppercased().map { $0 == "." || $0 == "-" ? "_" : String($0) }.joined()
  }
}

/// A setting with the type its value has in the program.
package struct Setting<Value: Sendable>: Sendable {
  /// Its row.
  package let definition: SettingDefinition
  let convert: @Sendable (SettingValue?) -> Value?
}

extension Setting where Value == String {
  /// Any text.
  package static func text(_ name: String, standard: String, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .text, standard: standard, help: help)) { $0?.asText }
  }

  /// One of a few words.
  package static func choice(_ name: String, _ words: [String], standard: String, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .choice(words), standard: standard, help: help)) { $0?.asText }
  }
}

extension Setting where Value == String? {
  /// A text that may be missing.
  package static func optionalText(_ name: String, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .text, standard: nil, help: help)) { .some($0?.asText) }
  }

  /// A secret: from the environment (`NAME`, or `NAME_FILE` with a path) or the file; masked wherever it is shown.
  package static func secret(_ name: String, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .text, standard: nil, help: help, isSecret: true)) {
      .some($0?.asText)
    }
  }
}

extension Setting where Value == Int {
  /// A whole number in a range.
  package static func integer(_ name: String, _ range: ClosedRange<Int>, standard: Int, help: String) -> Setting {
    let kind = SettingKind.integer(Int64(range.lowerBound)...Int64(range.upperBound))
    return Setting(definition: SettingDefinition(name, kind, standard: "\(standard)", help: help)) { value in
      if case .integer(let number)? = value { Int(number) } else { nil }
    }
  }

  /// A number of bytes; bounds are written as settings are (`1KiB`).
  package static func size(_ name: String, _ range: ClosedRange<Int>, standard: String, help: String) -> Setting {
    let kind = SettingKind.size(Int64(range.lowerBound)...Int64(range.upperBound))
    return Setting(definition: SettingDefinition(name, kind, standard: standard, help: help)) { value in
      if case .size(let bytes)? = value { Int(bytes) } else { nil }
    }
  }
}

extension Setting where Value == Bool {
  /// On or off.
  package static func flag(_ name: String, standard: Bool, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .flag, standard: "\(standard)", help: help)) { value in
      if case .flag(let flag)? = value { flag } else { nil }
    }
  }
}

extension Setting where Value == Duration {
  /// A span of time within `range`.
  package static func duration(
    _ name: String, _ range: ClosedRange<Duration>, standard: String, help: String
  ) -> Setting {
    let kind = SettingKind.duration(range.lowerBound.wholeNanoseconds...range.upperBound.wholeNanoseconds)
    return Setting(definition: SettingDefinition(name, kind, standard: standard, help: help)) { value in
      if case .duration(let nanoseconds)? = value { .nanoseconds(nanoseconds) } else { nil }
    }
  }
}

extension Setting where Value == [HostPort] {
  /// Addresses; empty when not set.
  package static func addresses(_ name: String, standard: String?, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .addresses, standard: standard, help: help)) { value in
      if case .addresses(let addresses)? = value { addresses } else { [] }
    }
  }
}

extension Setting where Value == [String] {
  /// Words; empty when not set.
  package static func list(_ name: String, standard: String?, help: String) -> Setting {
    Setting(definition: SettingDefinition(name, .list, standard: standard, help: help)) { value in
      if case .list(let words)? = value { words } else { [] }
    }
  }
}

extension SettingValue {
  fileprivate var asText: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

extension Duration {
  /// The span in nanoseconds, rounded down; saturates at about 292 years.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, over) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || over ? (seconds < 0 ? .min : .max) : sum
  }
}
