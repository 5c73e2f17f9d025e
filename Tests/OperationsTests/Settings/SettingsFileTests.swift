// Tests of the configuration file: what is read, and that each fault names its line.

import Testing

@testable import Operations

@Suite("Configuration file")
struct SettingsFileTests {
  private func complaint(_ text: String) -> String? {
    do {
      _ = try SettingsFile(path: "c.toml", text: text)
      return nil
    } catch {
      return error.what
    }
  }

  @Test("sections, strings, numbers, truths, arrays, comments and dotted names")
  func reading() throws {
    let file = try SettingsFile(
      path: "c.toml",
      text: """
        # top
        top = 1
        [worker]  # here
        drain = "5s" # comment
        name = 'a "b" # c'
        count = 1_000
        on = true
          [ kafka ]
        sasl.mechanism = "PLAIN"
        "ssl.ca.location" = "a\\tb\\"c"
        brokers = [ "a:1", "b:2", ]

        """)
    #expect(
      file.entries == [
        SettingsFile.Entry(name: "top", value: "1", line: 2),
        SettingsFile.Entry(name: "worker.drain", value: "5s", line: 4),
        SettingsFile.Entry(name: "worker.name", value: "a \"b\" # c", line: 5),
        SettingsFile.Entry(name: "worker.count", value: "1000", line: 6),
        SettingsFile.Entry(name: "worker.on", value: "true", line: 7),
        SettingsFile.Entry(name: "kafka.sasl.mechanism", value: "PLAIN", line: 9),
        SettingsFile.Entry(name: "kafka.ssl.ca.location", value: "a\tb\"c", line: 10),
        SettingsFile.Entry(name: "kafka.brokers", value: "a:1,b:2", line: 11),
      ])
  }

  @Test("Windows line ends and an empty file")
  func lineEnds() throws {
    #expect(try SettingsFile(path: "c", text: "[a]\r\nb = 1\r\n").entries.map(\.name) == ["a.b"])
    #expect(try SettingsFile(path: "c", text: "").entries.isEmpty)
  }

  @Test(
    "faults",
    arguments: [
      ("a = 5s", "c.toml:1: put quotes around the value: \"5s\""),
      ("\na = 1\na = 2", "c.toml:3: a is set in line 2 already"),
      ("a = \"x", "c.toml:1: the string has no closing \""),
      ("[a", "c.toml:1: the section's name does not end with ]"),
      ("[[a]]", "c.toml:1: arrays of tables ([[…]]) mean nothing here"),
      ("a 1", "c.toml:1: expected: key = value"),
      ("a =", "c.toml:1: a value is missing"),
      ("= 1", "c.toml:1: a name is missing: letters, digits, _ and -, or quotes around it"),
      ("a = 1 2", "c.toml:1: nothing may follow here, but there is: 2"),
      ("a = [1", "c.toml:1: the array does not end with ] on this line"),
      ("a = [1 2]", "c.toml:1: values of an array have commas between them"),
      ("a = \"\\q\"", "c.toml:1: unknown escape in a string; there are \\\\ \\\" \\n \\t, or use '…'"),
    ])
  func faults(_ text: String, _ message: String) {
    #expect(complaint(text) == message)
  }
}
