// Setting a cluster up and looking at it: topics and the cluster's id, each call with a deadline.

/// A topic as it should be.
package struct TopicPlan: Hashable, Sendable {
  /// Full topic name, prefix included.
  package let name: String
  /// Number of partitions, from 1; which partition a key goes to depends on it.
  package let partitions: Int
  /// Copies of each partition; nil: the broker's default.
  package let replication: Int?
  /// True: the newest record of each key stays for good (`cleanup.policy=compact`).
  package let isCompacted: Bool

  package init(name: String, partitions: Int, replication: Int? = nil, isCompacted: Bool = false) {
    self.name = name
    self.partitions = partitions
    self.replication = replication
    self.isCompacted = isCompacted
  }
}

/// What was found or done about one planned topic.
package enum TopicState: Hashable, Sendable {
  /// It did not exist and was made.
  case created
  /// It exists with as many partitions as planned.
  case asPlanned
  /// It exists with another number of partitions. The order of a key's messages depends on it: nothing was changed.
  case otherPartitionCount(Int)
  case missing
}

/// Administrative calls. They block: a thread of the caller's own, not the cooperative pool.
package final class KafkaAdmin: Sendable {
  private let handle: AdminHandle
  private let brokers: String

  /// Makes the client; it connects with the first call.
  package init(settings: KafkaSettings) throws(KafkaError) {
    handle = try AdminHandle(settings: settings)
    brokers = settings.brokers
  }

  /// The cluster's id. Throws `.environment` naming the bootstrap list if no broker answers in time.
  package func clusterID(limitMilliseconds: Int = 5_000) throws(KafkaError) -> String {
    if let id = handle.clusterID(limitMilliseconds: Int32(limitMilliseconds)) { return id }
    throw .unreachable(brokers: brokers, detail: "no answer within \(limitMilliseconds) ms")
  }

  /// Compares topics with the plan; changes nothing.
  package func check(_ plans: [TopicPlan], limitMilliseconds: Int = 5_000) throws(KafkaError) -> [String: TopicState] {
    switch handle.topics(limitMilliseconds: Int32(limitMilliseconds)) {
    case .success(let partitions):
      var states: [String: TopicState] = [:]
      for plan in plans {
        states[plan.name] =
          switch partitions[plan.name] {
          case nil: .missing
          case plan.partitions?: .asPlanned
          case let count?: .otherPartitionCount(count)
          }
      }
      return states
    case .failure(let error):
      throw reachable(error)
    }
  }

  /// Makes the topics that are missing; those that exist are left as they are and reported. Throws if one could not be
  /// made; those before it may have been.
  package func create(_ plans: [TopicPlan], limitMilliseconds: Int = 15_000) throws(KafkaError) -> [String: TopicState]
  {
    var states = try check(plans, limitMilliseconds: limitMilliseconds)
    let missing = plans.filter { states[$0.name] == .missing }
    guard !missing.isEmpty else { return states }
    switch handle.create(missing, limitMilliseconds: Int32(limitMilliseconds)) {
    case .success(let results):
      for plan in missing {
        let error = results[plan.name] ?? KafkaError.environment("the broker did not say what became of it")
        // Somebody else was faster.
        if let error, error.code != "TOPIC_ALREADY_EXISTS" { throw error.during("creating topic \(plan.name)") }
        states[plan.name] = .created
      }
      return states
    case .failure(let error):
      throw error.reaction == .retry
        ? .environment(
          "the brokers at \(brokers) did not create the topics in time (\(error.message)); librdkafka's mock cluster "
            + "cannot create topics this way") : error
    }
  }

  private func reachable(_ error: KafkaError) -> KafkaError {
    error.reaction == .retry ? .unreachable(brokers: brokers, detail: error.message) : error
  }
}
