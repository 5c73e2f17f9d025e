// What a worker has to say, as log lines.

import Operations
import WorkerEngine

extension Log {
  /// Writes a worker's notice.
  func write(_ notice: WorkerNotice, stage: String) {
    let stage = LogValue.text(stage)
    switch notice {
    case .assigned(let generation, let partitions):
      info(
        "partitions assigned",
        [.stage: stage, .generation: .integer(Int64(generation)), .count: .integer(Int64(partitions.count))])
    case .offsetsMissing(let partitions):
      info(
        "no committed offsets: partitions never consumed, or their offsets have expired",
        [
          .stage: stage, .count: .integer(Int64(partitions.count)),
          .detail: .text(partitions.map { partition in String(partition.partition) }.joined(separator: ",")),
        ])
    case .released(let generation, let unfinished, let lost):
      info(
        lost ? "partitions lost" : "partitions released",
        [.stage: stage, .generation: .integer(Int64(generation)), .count: .integer(Int64(unfinished))])
    case .finishedSetIgnored(let partition, let reason):
      warning(
        "finished set ignored",
        [
          .stage: stage, .topic: .text(partition.topic), .partition: .integer(Int64(partition.partition)),
          .detail: .text(reason),
        ])
    case .startedOver(let partition, let place, let reason):
      error(
        "committed offset lost, partition started over",
        [
          .stage: stage, .topic: .text(partition.topic), .partition: .integer(Int64(partition.partition)),
          .setting: .text("worker.out_of_range=\(place.rawValue)"), .detail: .text(reason),
        ])
    case .contextAdopted(let partition, let other):
      warning(
        "partition adopted from another journal",
        [
          .stage: stage, .topic: .text(partition.topic), .partition: .integer(Int64(partition.partition)),
          .detail: .text(other),
        ])
    case .committed, .deadLettered: break
    case .commitDropped(let detail):
      warning("commit dropped: the group has moved on", [.stage: stage, .detail: .text(detail)])
    case .outputRefused(let partition, let detail):
      error(
        "output refused by the broker",
        [.stage: stage, .topic: .text(partition?.topic ?? ""), .detail: .text(detail)])
    case .stopping: info("worker stopping", [.stage: stage])
    }
  }
}
