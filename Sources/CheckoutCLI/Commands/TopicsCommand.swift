// `checkout topics create|check`: the pipeline's topics on a cluster.

import CheckoutStages
import CheckoutWire
import KafkaAdapter
import Operations

/// Creates topics, or says which are there.
struct TopicsCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  private var plans: [TopicPlan] {
    let replication = context.settings[Setup.topicReplication]
    let own = TopicRole.allCases.map { role in
      TopicPlan(
        name: context.topics.name(role), partitions: context.settings[Setup.topicPartitions], replication: replication)
    }
    guard context.settings[Setup.reference] == ReferenceSource.topicsName else { return own }
    return own
      + context.referenceTopics.values.map {
        TopicPlan(name: $0, partitions: 1, replication: replication, isCompacted: true)
      }
  }

  func create() throws(Problem) -> ExitCode {
    do throws(KafkaError) {
      show(try admin().create(plans))
    } catch {
      throw Problem(error)
    }
    return .ok
  }

  func check() throws(Problem) -> ExitCode {
    let states: [String: TopicState]
    do throws(KafkaError) {
      states = try admin().check(plans)
    } catch {
      throw Problem(error)
    }
    show(states)
    return states.values.contains(.missing) ? .foundWrong : .ok
  }

  private func admin() throws(KafkaError) -> KafkaAdmin {
    let settings: KafkaSettings
    do throws(Problem) {
      settings = try context.kafka(brokers: try context.brokerList(), clientID: "checkout-topics", log: nil)
    } catch {
      throw .environment(error.description)
    }
    return try KafkaAdmin(settings: settings)
  }

  private func show(_ states: [String: TopicState]) {
    if context.isJSON {
      let members = states.sorted { $0.key < $1.key }.map {
        "\(JSONText.quoted($0.key)):\(JSONText.quoted(text($0.value)))"
      }
      context.output.write("{\(members.joined(separator: ","))}\n")
      return
    }
    var table = TextTable([("TOPIC", .left), ("STATE", .left)])
    for (name, state) in states.sorted(by: { $0.key < $1.key }) { table.add([name, text(state)]) }
    context.output.write(table.text(columns: context.output.columns))
  }
}

/// What a person reads about a topic.
private func text(_ state: TopicState) -> String {
  switch state {
  case .created: "created"
  case .asPlanned: "there"
  case .otherPartitionCount(let count): "there, with \(count) partitions"
  case .missing: "missing"
  }
}
