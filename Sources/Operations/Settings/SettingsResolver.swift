// Brings the four origins of settings together and says of each wrong one what would be right.

/// All that is wrong with the settings, so that one run shows everything.
package struct SettingProblems: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line each: setting, value, origin, what is allowed.
  package let lines: [String]

  package var description: String { lines.joined(separator: "\n") }

  /// The same as one usage problem (exit 2).
  package var problem: Problem { .usage(description, remedy: "see: checkout config") }
}

/// Resolves settings; pure: the environment and the contents of files are arguments.
package struct SettingsResolver {
  private let definitions: [SettingDefinition]
  /// Names below this section (and variables below its prefix) are a library's, not ours.
  private let passThroughSection: String
  /// Variables that are ours but no settings.
  private let otherVariables: Set<String>
  private let readFile: (String) -> String?

  private var given: [String: (text: String, origin: SettingOrigin)] = [:]
  private var passed: [String: PassedProperty] = [:]
  private var problems: [String] = []

  /// A resolver for a table of settings. `readFile` gives the text behind `…_FILE` variables; nil: it cannot be read.
  package init(
    _ definitions: [SettingDefinition], passThroughSection: String = "kafka",
    otherVariables: Set<String> = ["CHECKOUT_CONFIG"], readFile: @escaping (String) -> String? = { _ in nil }
  ) {
    self.definitions = definitions
    self.passThroughSection = passThroughSection
    self.otherVariables = otherVariables
    self.readFile = readFile
  }

  /// Flags over environment over file over defaults. Throws everything that is wrong at once.
  package mutating func resolve(
    flags: [SettingFlag] = [], environment: [String: String] = [:], file: SettingsFile? = nil
  ) throws(SettingProblems) -> Settings {
    given = [:]
    passed = [:]
    problems = []
    if let file { take(file) }
    take(environment)
    for flag in flags { take(flag) }
    var all: [ResolvedSetting] = []
    for definition in definitions { all.append(resolved(definition)) }
    guard problems.isEmpty else { throw SettingProblems(lines: problems) }
    return Settings(all: all, passed: passed.values.sorted { $0.name < $1.name })
  }

  private mutating func take(_ file: SettingsFile) {
    for entry in file.entries {
      let origin = SettingOrigin.file(path: file.path, line: entry.line)
      if !take(entry.name, entry.value, origin) {
        let hint = NearestName.hint(entry.name, among: definitions.map(\.name))
        problems.append("\(origin): unknown setting \(entry.name)\(hint)")
      }
    }
  }

  private mutating func take(_ environment: [String: String]) {
    let names = definitions.map(\.variable)
    for (variable, value) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("CHECKOUT_") {
      if otherVariables.contains(variable) || isServiceLink(variable, value) { continue }
      let origin = SettingOrigin.environment(variable: variable)
      if let definition = definitions.first(where: { $0.variable == variable }) {
        given[definition.name] = (value, origin)
      } else if let definition = definitions.first(where: { $0.variable + "_FILE" == variable && $0.isSecret }) {
        takeSecret(definition, path: value, origin)
      } else if let property = passedName(variable) {
        passed[property] = PassedProperty(name: property, value: value, origin: origin)
      } else {
        problems.append("\(variable): no such setting\(NearestName.hint(variable, among: names))")
      }
    }
  }

  private mutating func takeSecret(_ definition: SettingDefinition, path: String, _ origin: SettingOrigin) {
    guard let text = readFile(path) else {
      problems.append("\(origin): the file \(path) cannot be read; \(definition.name) should stand in it")
      return
    }
    // Editors and secret mounts leave a line break at the end, which is not part of the secret.
    let secret = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init) ?? ""
    given[definition.name] = (secret, origin)
  }

  private mutating func take(_ flag: SettingFlag) {
    if definitions.contains(where: { $0.name == flag.name && $0.isSecret }) {
      let variable = definitions.first { $0.name == flag.name }?.variable ?? ""
      problems.append("\(flag.flag): secrets do not belong on a command line, `ps` shows them; use \(variable)_FILE")
    } else if !take(flag.name, flag.value, .flag(flag.flag)) {
      let hint = NearestName.hint(flag.name, among: definitions.map(\.name))
      problems.append("\(flag.flag): unknown setting \(flag.name)\(hint)")
    }
  }

  /// False: nobody knows the name.
  private mutating func take(_ name: String, _ value: String, _ origin: SettingOrigin) -> Bool {
    if definitions.contains(where: { $0.name == name }) {
      given[name] = (value, origin)
    } else if name.hasPrefix(passThroughSection + ".") {
      let property = String(name.dropFirst(passThroughSection.count + 1))
      passed[property] = PassedProperty(name: property, value: value, origin: origin)
    } else {
      return false
    }
    return true
  }

  /// `CHECKOUT_KAFKA_SASL_MECHANISM` → `sasl.mechanism`
  private func passedName(_ variable: String) -> String? {
    let prefix = "CHECKOUT_\(passThroughSection.uppercased())_"
    guard variable.hasPrefix(prefix), variable.count > prefix.count else { return nil }
    return variable.dropFirst(prefix.count).lowercased().map { $0 == "_" ? "." : String($0) }.joined()
  }

  /// Kubernetes gives every pod variables of each Service beside it: a Service called `checkout` or `checkout-…` would
  /// look like a mistyped setting of ours and keep the pod from starting.
  private func isServiceLink(_ variable: String, _ value: String) -> Bool {
    variable.hasSuffix("_SERVICE_HOST") || variable.contains("_SERVICE_PORT") || variable.contains("_PORT_")
      || (variable.hasSuffix("_PORT") && value.contains("://"))
  }

  private mutating func resolved(_ definition: SettingDefinition) -> ResolvedSetting {
    let (text, origin) =
      given[definition.name].map { (Optional($0.text), $0.origin) } ?? (definition.standard, .standard)
    guard let text else { return ResolvedSetting(definition: definition, value: nil, origin: origin) }
    let value = SettingParser.value(text, definition.kind)
    if value == nil {
      let shown = definition.isSecret ? "****" : "\"\(text)\""
      let allowed = SettingParser.allowed(definition.kind)
      problems.append("\(definition.name) = \(shown) (from \(origin)): must be \(allowed)")
    }
    return ResolvedSetting(definition: definition, value: value, origin: origin)
  }
}
