// What every command starts from: settings, terminal, log, clock.

import CheckoutCore
import CheckoutStages
import CheckoutWire
import KafkaAdapter
import Operations

/// The surroundings of one command.
struct CommandContext {
  let command: ParsedCommand
  let settings: Settings
  let output: Terminal
  let errors: Terminal
  let clock: any ProcessClock
  let environment: [String: String]
  private let trouble = BrokerTrouble()

  /// `baseline` stands in for the settings file if none is named; `overrides` win over everything.
  init(
    command: ParsedCommand, output: Terminal, errors: Terminal, environment: [String: String],
    baseline: SettingsFile? = nil, overrides: [SettingFlag] = []
  ) throws(Problem) {
    self.command = command
    self.output = output
    self.errors = errors
    self.environment = environment
    settings = try Self.resolve(command, environment, baseline, overrides)
    try Self.check(settings.passed)
    clock = try Self.clock(settings)
  }

  /// The same command with other settings beneath and above what the user chose.
  func with(baseline: SettingsFile, overrides: [SettingFlag]) throws(Problem) -> CommandContext {
    try CommandContext(
      command: command, output: output, errors: errors, environment: environment, baseline: baseline,
      overrides: overrides)
  }

  private static func resolve(
    _ command: ParsedCommand, _ environment: [String: String], _ baseline: SettingsFile?, _ overrides: [SettingFlag]
  ) throws(Problem) -> Settings {
    var flags: [SettingFlag] = []
    for (flag, setting) in Setup.flags {
      if let value = command.value(flag) { flags.append(SettingFlag(name: setting, value: value, flag: "--\(flag)")) }
    }
    for text in command.values("set") {
      let (name, value) = try pair(text, flag: "set")
      flags.append(SettingFlag(name: name, value: value, flag: "--set \(name)"))
    }
    for text in command.values("kafka-property") {
      let (name, value) = try pair(text, flag: "kafka-property")
      flags.append(SettingFlag(name: "kafka.\(name)", value: value, flag: "--kafka-property \(name)"))
    }
    flags += overrides
    var file = baseline
    if let path = command.value("config") ?? environment["CHECKOUT_CONFIG"] {
      file = try SettingsFile(path: path, text: text(try FileContents.read(path), path))
    }
    var resolver = SettingsResolver(Setup.table) { path in
      (try? FileContents.read(path)).flatMap { String(validating: $0, as: UTF8.self) }
    }
    do throws(SettingProblems) {
      return try resolver.resolve(flags: flags, environment: environment, file: file)
    } catch {
      throw error.problem
    }
  }

  /// Refuses a property that the engine owns or librdkafka does not know, before anything is opened.
  private static func check(_ properties: [PassedProperty]) throws(Problem) {
    for property in properties {
      do throws(KafkaError) {
        _ = try KafkaSettings(brokers: "localhost", properties: [KafkaProperty(property.name, property.value)])
      } catch {
        throw .usage(
          "\(error.message) (from \(property.origin))",
          remedy: "leave it out; librdkafka's CONFIGURATION.md lists all properties and their values")
      }
    }
  }

  private static func pair(_ text: String, flag: String) throws(Problem) -> (String, String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw .usage("--\(flag) \(text) is not of the form NAME=VALUE", remedy: "see: checkout help")
    }
    return (String(parts[0]), String(parts[1]))
  }

  private static func text(_ bytes: [UInt8], _ path: String) throws(Problem) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("\(path) is not UTF-8 text")
    }
    return text
  }

  private static func clock(_ settings: Settings) throws(Problem) -> any ProcessClock {
    guard let start = settings[Setup.clockStart] else { return SystemClock() }
    guard let time = RFC3339.parse(ArraySlice(start.utf8)) else {
      throw .usage(
        "worker.clock_start = \"\(start)\" (from \(settings.origin(of: Setup.clockStart))): must be an RFC 3339 time",
        remedy: "write it like 2026-11-30T12:00:00Z")
    }
    return OffsetClock(startingAt: time.nanoseconds)
  }

  /// True if the command prints for machines.
  var isJSON: Bool { command.has("json") }

  /// Names of the topics.
  var topics: TopicNames { TopicNames(prefix: settings[Setup.topicPrefix]) }

  /// The log on standard error, in the form asked for.
  func log(_ sink: any LogSink) -> Log {
    let isPretty =
      switch settings[Setup.logForm] {
      case "pretty": true
      case "json": false
      default: errors.isInteractive
      }
    return Log(
      format: isPretty ? .pretty(colour: errors.hasColour) : .json,
      level: LogLevel(rawValue: settings[Setup.logLevel]) ?? .info, clock: clock, sink: sink)
  }

  /// The brokers as librdkafka wants them.
  func brokerList() throws(Problem) -> String {
    let addresses = settings[Setup.brokers]
    guard !addresses.isEmpty else {
      throw .usage(
        "no Kafka brokers given",
        remedy: "use --brokers HOST:PORT or CHECKOUT_CONNECTION_BROKERS; for local work start: checkout broker")
    }
    // A listener may ask for any port with 0; nobody can be called there.
    if let address = addresses.first(where: { $0.port == 0 }) {
      throw .usage(
        "connection.brokers = \"\(address)\" (from \(settings.origin(of: Setup.brokers))): port 0 is nobody's",
        remedy: "see: checkout config")
    }
    return addresses.map(\.description).joined(separator: ",")
  }

  /// Says that the brokers do not answer, unless it was said lately.
  func tellUnreachable(brokers: String, reason: String, log: Log) {
    trouble.writeSilence(brokers: brokers, reason: reason, to: log, at: clock.bootNanoseconds())
  }

  /// Settings of a Kafka client.
  func kafka(
    brokers: String, clientID: String, log: Log?, metrics: WorkerMetrics? = nil
  ) throws(Problem) -> KafkaSettings {
    let (trouble, clock) = (trouble, clock)
    let properties = settings.passed.map { KafkaProperty($0.name, $0.value) }
    do throws(KafkaError) {
      var kafka = try KafkaSettings(
        brokers: brokers, clientID: clientID, properties: properties,
        statisticsIntervalMilliseconds: metrics == nil ? 0 : 1_000,
        log: { line in
          if let log { trouble.write(line, to: log, brokers: brokers, at: clock.bootNanoseconds()) }
        },
        statistics: { statistics in metrics?.take(statistics) })
      if let metrics { kafka.rebuilt = { wasFenced in metrics.countRebuild(wasFenced: wasFenced) } }
      return kafka
    } catch {
      throw Problem(error)
    }
  }
}

extension Problem {
  /// A Kafka error as a problem of the command.
  init(_ error: KafkaError) {
    switch error.reaction {
    case .fenced: self = .conflict(error.message)
    case .retry, .groupMoved, .messageRefused, .environment, .clientBroken: self = .environment(error.message)
    }
  }
}
