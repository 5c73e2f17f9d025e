// What benchmarks with a C peer share: options, one measured pass in a process of its own, medians.

import Foundation

/// Why a benchmark cannot go on; one line for a person.
struct BenchProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Options as `--name value` pairs.
struct BenchOptions {
  private var values: [String: String] = [:]

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw BenchProblem("\(name) needs a value") }
      values[name] = value
    }
  }

  func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

  /// The C program to stand beside.
  func peer() throws -> String { try path("--peer") }

  /// A program that bench/run has built.
  func path(_ name: String) throws -> String { try required(name) }

  /// An option that has to be there.
  func required(_ name: String) throws -> String {
    guard let value = values[name] else { throw BenchProblem("\(name) is missing (bench/run gives it)") }
    return value
  }

  /// An option that may be left out.
  func optional(_ name: String) -> String? { values[name] }
}

/// One pass: seconds for all messages or writes.
struct Figures {
  let count: Int
  let wall: Double
  let cpu: Double
  /// Transactions or commit jobs; 0 if the program says nothing of them.
  let commits: Int
  /// CPU seconds a million.
  var cpuPerMillion: Double { cpu / Double(count) * 1_000_000 }
  /// Wall seconds a million.
  var wallPerMillion: Double { wall / Double(count) * 1_000_000 }

  /// Runs a program that prints count, wall seconds, CPU seconds and perhaps the number of commits.
  static func measured(_ program: String, _ arguments: [String]) throws -> Figures {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let fields = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard process.terminationStatus == 0, fields.count >= 3, let count = Int(fields[0]),
      let wall = Double(fields[1]), let cpu = Double(fields[2])
    else { throw BenchProblem("\(program) failed with status \(process.terminationStatus)") }
    return Figures(count: count, wall: wall, cpu: cpu, commits: fields.count > 3 ? Int(fields[3]) ?? 0 : 0)
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// Three digits after the point.
func text(_ value: Double) -> String { String(format: "%.3f", value) }
