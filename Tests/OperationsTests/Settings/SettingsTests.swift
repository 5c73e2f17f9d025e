// Tests of settings: who wins, what wrong ones are told, what is never shown.

import Testing

@testable import Operations

private enum Table {
  static let drain = Setting.duration("worker.drain", .milliseconds(1)...(.seconds(60)), standard: "5s", help: "Drain.")
  static let workers = Setting.integer("worker.count", 1...64, standard: 1, help: "Workers.")
  static let brokers = Setting<[HostPort]>.addresses("kafka_cluster.brokers", standard: nil, help: "Kafka.")
  static let mode = Setting.choice("chain.mode", ["fail_fast", "collect_all"], standard: "fail_fast", help: "Mode.")
  static let key = Setting<String?>.secret("stripe.secret_key", help: "Stripe's key.")
  static let all = [drain.definition, workers.definition, brokers.definition, mode.definition, key.definition]
}

@Suite("Settings")
struct SettingsTests {
  private func resolve(
    flags: [SettingFlag] = [], environment: [String: String] = [:], file text: String = "",
    files: [String: String] = [:]
  ) throws -> Settings {
    var resolver = SettingsResolver(Table.all) { files[$0] }
    let file = try SettingsFile(path: "checkout.toml", text: text)
    return try resolver.resolve(flags: flags, environment: environment, file: file)
  }

  private func complaints(
    flags: [SettingFlag] = [], environment: [String: String] = [:], file text: String = ""
  ) throws -> [String] {
    do {
      _ = try resolve(flags: flags, environment: environment, file: text)
      return []
    } catch let problems as SettingProblems {
      return problems.lines
    }
  }

  @Test("flags win over the environment, that over the file, that over defaults")
  func precedence() throws {
    let file = "[worker]\ndrain = \"2s\"\n"
    let environment = ["CHECKOUT_WORKER_DRAIN": "3s"]
    let flag = SettingFlag(name: "worker.drain", value: "4s", flag: "--set worker.drain")
    #expect(try resolve()[Table.drain] == .seconds(5))
    #expect(try resolve(file: file)[Table.drain] == .seconds(2))
    #expect(try resolve(environment: environment, file: file)[Table.drain] == .seconds(3))
    let all = try resolve(flags: [flag], environment: environment, file: file)
    #expect(all[Table.drain] == .seconds(4))
    #expect(all.origin(of: Table.drain) == .flag("--set worker.drain"))
    #expect(try resolve(file: file).origin(of: Table.drain).description == "checkout.toml:2")
    #expect(try resolve().origin(of: Table.drain).description == "default")
  }

  @Test("each kind arrives as its type")
  func types() throws {
    let settings = try resolve(
      environment: ["CHECKOUT_KAFKA_CLUSTER_BROKERS": "a:1", "CHECKOUT_WORKER_COUNT": "8"],
      file: "[chain]\nmode = \"collect_all\"")
    #expect(settings[Table.brokers] == [HostPort(host: "a", port: 1)])
    #expect(settings[Table.workers] == 8)
    #expect(settings[Table.mode] == "collect_all")
    #expect(settings[Table.key] == nil)
  }

  @Test("everything that is wrong is told at once, each with value, origin and what is allowed")
  func wrongValues() throws {
    let found = try complaints(
      flags: [SettingFlag(name: "worker.count", value: "0", flag: "--set worker.count")],
      environment: ["CHECKOUT_CHAIN_MODE": "fast"], file: "[worker]\ndrain = \"2 minutes\"\n")
    #expect(
      found == [
        "worker.drain = \"2 minutes\" (from checkout.toml:2): must be a time such as 250ms, 10s or 5m, from 1ms to 1m",
        "worker.count = \"0\" (from --set worker.count): must be a whole number from 1 to 64",
        "chain.mode = \"fast\" (from CHECKOUT_CHAIN_MODE): must be one of fail_fast, collect_all",
      ])
  }

  @Test("unknown names are told the nearest")
  func unknown() throws {
    #expect(
      try complaints(file: "[worker]\ndrian = 1") == [
        "checkout.toml:2: unknown setting worker.drian; did you mean worker.drain?"
      ])
    #expect(
      try complaints(environment: ["CHECKOUT_WORKER_DRIAN": "1"]) == [
        "CHECKOUT_WORKER_DRIAN: no such setting; did you mean CHECKOUT_WORKER_DRAIN?"
      ])
    let flag = SettingFlag(name: "zzz", value: "1", flag: "--set zzz")
    #expect(try complaints(flags: [flag]) == ["--set zzz: unknown setting zzz"])
  }

  @Test("variables of others and Kubernetes' service links are left alone")
  func foreignVariables() throws {
    let environment = [
      "HOME": "/", "CHECKOUT_CONFIG": "x.toml", "CHECKOUT_SERVICE_HOST": "10.0.0.1", "CHECKOUT_SERVICE_PORT_HTTP": "80",
      "CHECKOUT_PORT": "tcp://10.0.0.1:80", "CHECKOUT_PORT_80_TCP_ADDR": "10.0.0.1",
    ]
    #expect(try complaints(environment: environment) == [])
  }

  @Test("a library's properties pass through, the later origin winning")
  func passThrough() throws {
    let settings = try resolve(
      flags: [SettingFlag(name: "kafka.debug", value: "cgrp", flag: "--kafka-property debug")],
      environment: ["CHECKOUT_KAFKA_SASL_MECHANISM": "PLAIN", "CHECKOUT_KAFKA_DEBUG": "all"],
      file: "[kafka]\nsasl.password = \"hush\"\n\"linger.ms\" = 5\n")
    #expect(settings.passed.map(\.name) == ["debug", "linger.ms", "sasl.mechanism", "sasl.password"])
    #expect(settings.passed.map(\.value) == ["cgrp", "5", "PLAIN", "hush"])
    #expect(!settings.table().contains("hush"))
    #expect(settings.json().contains("\"kafka.sasl.mechanism\": {\"value\": \"PLAIN\""))
  }

  @Test("a secret comes from the environment or its file, never from a flag, and is never shown")
  func secrets() throws {
    let direct = try resolve(environment: ["CHECKOUT_STRIPE_SECRET_KEY": "sk_test_1"])
    #expect(direct[Table.key] == "sk_test_1")
    let mounted = try resolve(
      environment: ["CHECKOUT_STRIPE_SECRET_KEY_FILE": "/run/key"], files: ["/run/key": "sk_test_2\n"])
    #expect(mounted[Table.key] == "sk_test_2")
    #expect(!mounted.table().contains("sk_test") && !mounted.json().contains("sk_test"))
    #expect(mounted.table().contains("****"))
    #expect(
      try complaints(environment: ["CHECKOUT_STRIPE_SECRET_KEY_FILE": "/run/none"]) == [
        "CHECKOUT_STRIPE_SECRET_KEY_FILE: the file /run/none cannot be read; stripe.secret_key should stand in it"
      ])
    let flag = SettingFlag(name: "stripe.secret_key", value: "sk_test_3", flag: "--set stripe.secret_key")
    #expect(
      try complaints(flags: [flag]) == [
        "--set stripe.secret_key: secrets do not belong on a command line, `ps` shows them; use CHECKOUT_STRIPE_SECRET_KEY_FILE"
      ])
  }

  @Test("the table and the JSON show value and origin")
  func printing() throws {
    let settings = try resolve(environment: ["CHECKOUT_WORKER_COUNT": "8"])
    let lines = settings.table().split(separator: "\n")
    #expect(lines[0] == "SETTING                VALUE      FROM")
    #expect(lines[2] == "worker.count           8          CHECKOUT_WORKER_COUNT")
    #expect(lines[3] == "kafka_cluster.brokers  (not set)  default")
    #expect(settings.json().contains("  \"worker.drain\": {\"value\": \"5s\", \"origin\": \"default\"},\n"))
    #expect(settings.json().contains("\"stripe.secret_key\": {\"value\": null"))
  }
}
