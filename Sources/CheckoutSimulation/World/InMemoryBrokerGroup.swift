// The group coordinator of the broker in memory: eager rebalances, generations, fencing.

import WorkerEngine

/// One consumer group.
///
/// stable ──join, leave, expel──► rebalancing ──all released, or the time is over──► stable
final class InMemoryGroup {
  private unowned let broker: InMemoryBroker
  var offsets: [TopicPartition: CommittedOffset] = [:]
  private(set) var generation = 0
  /// In the order they joined.
  private var members: [InMemoryBrokerEndpoint] = []
  /// Members that have not given back their partitions, and until when they may; nil: no rebalance is going on.
  private var awaited: (members: [InMemoryBrokerEndpoint], until: Int64)?
  /// Members that are not heard of, and until when they stay.
  private var silent: [(member: InMemoryBrokerEndpoint, until: Int64)] = []

  init(broker: InMemoryBroker) {
    self.broker = broker
  }

  /// True if a commit of this member under this generation is accepted.
  func accepts(_ member: InMemoryBrokerEndpoint, generation: Int) -> Bool {
    generation == self.generation && contains(member)
  }

  /// A partition as it is assigned, with what is committed for it.
  func assigned(_ partition: TopicPartition) -> AssignedPartition {
    let committed = offsets[partition]
    return AssignedPartition(partition: partition, committed: committed?.offset, metadata: committed?.metadata ?? "")
  }

  /// When members are put out because they have not released or are not heard of; nil: nobody is waited for.
  var nextDue: Int64? {
    var due = awaited?.until
    for (_, until) in silent { due = min(due ?? until, until) }
    return due
  }

  /// The member is not heard of from now on: it stays until its session is over.
  func fallSilent(_ member: InMemoryBrokerEndpoint) {
    guard contains(member), !silent.contains(where: { $0.member === member }) else { return }
    silent.append((member, broker.now.boot + broker.settings.sessionTimeoutNanoseconds))
  }

  /// The member is heard of again.
  func speak(_ member: InMemoryBrokerEndpoint) {
    silent.removeAll { $0.member === member }
    if !member.holdsAssignment { released(member) }
  }

  private func isSilent(_ member: InMemoryBrokerEndpoint) -> Bool { silent.contains { $0.member === member } }

  func contains(_ member: InMemoryBrokerEndpoint) -> Bool {
    members.contains { other in other === member }
  }

  func join(_ member: InMemoryBrokerEndpoint) {
    guard !contains(member) else { return }
    members.append(member)
    rebalance()
  }

  /// The member goes (it left, it died, or it was put out); the rest share its partitions.
  func remove(_ member: InMemoryBrokerEndpoint) {
    silent.removeAll { other in other.member === member }
    guard contains(member) else { return }
    members.removeAll { other in other === member }
    awaited?.members.removeAll { other in other === member }
    rebalance()
  }

  /// A member has given its partitions back.
  func released(_ member: InMemoryBrokerEndpoint) {
    awaited?.members.removeAll { other in other === member }
    completeIfReady()
  }

  /// Takes partitions back from everybody and deals them again.
  func rebalance() {
    guard awaited == nil else { return completeIfReady() }
    // A silent member that holds nothing is waited for too: the cluster does not know that it is gone.
    let holders = members.filter { $0.holdsAssignment || isSilent($0) }
    awaited = (holders, broker.now.boot + broker.settings.rebalanceTimeoutNanoseconds)
    for member in holders { member.deliver(.revoked(generation: generation)) }
    completeIfReady()
  }

  /// Puts out the members whose session is over, and those that a rebalance has waited for too long.
  func checkTimeout() {
    let now = broker.now.boot
    for (member, until) in silent where until <= now { remove(member) }
    guard let awaited, broker.now.boot >= awaited.until else { return }
    self.awaited = ([], awaited.until)
    for member in awaited.members {
      members.removeAll { other in other === member }
      member.loseMembership()
    }
    completeIfReady()
  }

  private func completeIfReady() {
    guard let awaited, awaited.members.isEmpty else { return }
    self.awaited = nil
    generation += 1
    guard !members.isEmpty else { return }
    var shares: [[AssignedPartition]] = Array(repeating: [], count: members.count)
    let topics = Set(members.flatMap(\.topics)).sorted()
    for (index, partition) in broker.partitions(of: topics).enumerated() {
      shares[index % members.count].append(assigned(partition))
    }
    for (member, share) in zip(members, shares) { member.assign(share, generation: generation) }
  }
}
