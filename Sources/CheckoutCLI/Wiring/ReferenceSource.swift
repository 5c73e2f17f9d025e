// Where accounts and prices come from, as `--reference` says.

import CheckoutCore
import CheckoutWire
import KafkaAdapter
import Operations

/// A source of reference data. Any thread may ask it.
enum ReferenceSource: Sendable {
  /// Read once, at the start.
  case file(ReferenceData)
  /// Kept current.
  case topics(ReferenceTopics)

  /// What `--reference` says for topics.
  static let topicsName = "topics"

  /// What is known now.
  var data: ReferenceData {
    switch self {
    case .file(let data): data
    case .topics(let topics): topics.data
    }
  }

  /// Ends what reads.
  func stop() {
    if case .topics(let topics) = self { topics.stop() }
  }

  /// Opens the source that the settings name.
  static func open(_ context: CommandContext, brokers: String, log: Log) throws(Problem) -> ReferenceSource {
    let location = context.settings[Setup.reference]
    guard location == topicsName else { return .file(try read(location)) }
    let kafka = try context.kafka(brokers: brokers, clientID: "checkout-reference", log: log)
    return .topics(
      try ReferenceTopics(context.referenceTopics, settings: kafka, clock: context.clock, log: log))
  }

  /// Reads a reference file.
  static func read(_ path: String?) throws(Problem) -> ReferenceData {
    guard let path else {
      throw .usage(
        "validation needs accounts and prices",
        remedy: "use --reference FILE, for example samples/reference.json, or --reference topics")
    }
    let bytes = try FileContents.read(path)
    do throws(ReferenceFileError) {
      return try ReferenceFile.decode(bytes)
    } catch {
      throw .environment("reference \(path)\(error.path): \(error.message)", remedy: "check --reference")
    }
  }
}

extension CommandContext {
  /// Full names of the topics of reference data.
  var referenceTopics: [ReferenceTopic: String] {
    [.accounts: settings[Setup.accountsTopic], .prices: settings[Setup.pricesTopic]]
  }
}
