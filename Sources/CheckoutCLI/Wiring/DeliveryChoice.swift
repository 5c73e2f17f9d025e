// Which delivery the workers of this process use: what was asked for, and what the cluster can do.

import KafkaAdapter
import Operations

/// Exactly once unless the cluster has no transactions.
enum DeliveryChoice {
  /// librdkafka's mock cluster: its transactions succeed and do nothing.
  static let mockClusterPrefix = "mockCluster"
  private static let attemptMilliseconds = 1_000

  /// Reads the cluster's id, for as long as it takes: a broker that is away delays a start, it does not fail it.
  /// Nil: it was asked to stop meanwhile.
  static func resolve(
    _ context: CommandContext, brokers: String, stop: StopRequest, log: Log
  ) throws(Problem) -> DeliveryMode? {
    let asked = DeliveryMode(rawValue: context.settings[Setup.delivery])
    if asked == .atLeastOnce { return told(.atLeastOnce, log) }
    guard let clusterID = try clusterID(context, brokers: brokers, stop: stop, log: log) else { return nil }
    guard clusterID.hasPrefix(mockClusterPrefix) else { return .exactlyOnce }
    guard asked == nil else {
      throw .environment(
        "the cluster \(clusterID) is librdkafka's mock: its transactions succeed and do nothing, so exactly-once delivery "
          + "would be promised and not kept", remedy: "use --delivery at-least-once, or a real Kafka")
    }
    return told(.atLeastOnce, log)
  }

  private static func clusterID(
    _ context: CommandContext, brokers: String, stop: StopRequest, log: Log
  ) throws(Problem) -> String? {
    let settings = try context.kafka(brokers: brokers, clientID: "checkout-setup", log: log)
    let admin: KafkaAdmin
    do throws(KafkaError) {
      admin = try KafkaAdmin(settings: settings)
    } catch {
      throw Problem(error)
    }
    while !stop.isMade {
      do throws(KafkaError) {
        return try admin.clusterID(limitMilliseconds: attemptMilliseconds)
      } catch {
        context.tellUnreachable(brokers: brokers, reason: "no answer to the first question", log: log)
      }
    }
    return nil
  }

  private static func told(_ mode: DeliveryMode, _ log: Log) -> DeliveryMode {
    log.warning(
      "delivery is at least once: after a crash an outcome may appear twice, always under the same id",
      [.setting: .text(Setup.delivery.definition.name)])
    return mode
  }
}
