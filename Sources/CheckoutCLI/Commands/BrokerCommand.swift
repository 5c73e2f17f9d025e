// `checkout broker`: librdkafka's mock cluster as a process.

import CheckoutStages
import CheckoutWire
import KafkaAdapter
import Operations

/// Runs a broker for local work.
struct BrokerCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() throws(Problem) -> ExitCode {
    let stopped = Doorbell()
    try StopSignals.install { _ in stopped.ring() }
    do throws(KafkaError) {
      let cluster = try MockCluster()
      for role in TopicRole.allCases {
        try cluster.createTopic(context.topics.name(role), partitions: context.settings[Setup.topicPartitions])
      }
      for name in context.referenceTopics.values { try cluster.createTopic(name, partitions: 1) }
      guard context.output.write("\(cluster.brokers)\n") else { return .ok }
      stopped.wait()
      withExtendedLifetime(cluster) {}
    } catch {
      throw Problem(error)
    }
    return .ok
  }
}
