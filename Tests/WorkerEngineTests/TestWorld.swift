// A cluster in memory with workers on one thread, and a hand on the clock.

import CheckoutSimulation
import WorkerEngine

/// One worker with all that belongs to it.
final class TestWorker {
  let endpoint: InMemoryBrokerEndpoint
  let inbox: Inbox<Command>
  let log: StageLog
  let worker: Worker<ScriptedStage>
  var notices: [WorkerNotice] { noticeBox.notices }
  private(set) var status = WorkerStatus.running
  private let noticeBox: NoticeBox

  private final class NoticeBox {
    var notices: [WorkerNotice] = []
  }

  init(endpoint: InMemoryBrokerEndpoint, clock: VirtualClock, settings: WorkerSettings, log: StageLog) {
    let box = NoticeBox()
    noticeBox = box
    self.endpoint = endpoint
    self.log = log
    inbox = Inbox()
    worker = Worker(
      stage: ScriptedStage(log: log), inbox: inbox, broker: endpoint, clock: clock, settings: settings,
      notice: { notice in box.notices.append(notice) })
  }

  func turn() {
    if status == .running { status = worker.turn(waitNanoseconds: 0) }
  }

  /// Tells the stage to finish a message with one output: topic `out`, the message's key and value.
  func finish(_ value: String) { finish(log.ticket(value)) }

  func finish(_ ticket: Ticket) {
    guard let delivery = log.delivery(ticket) else { return }
    inbox.put([.finish(ticket, [echo(delivery)])])
  }

  var health: WorkerHealth { worker.control.health }
}

/// The output of a message: what came in, in topic `out`.
func echo(_ delivery: Delivery) -> Output {
  Output(topic: "out", key: delivery.record.key, value: delivery.record.value, headers: [])
}

final class TestWorld {
  let clock = VirtualClock()
  let broker: InMemoryBroker
  private(set) var workers: [TestWorker] = []

  init(partitions: Int = 1) {
    broker = InMemoryBroker(clock: clock)
    broker.createTopic("in", partitions: partitions)
    broker.createTopic("out", partitions: 1)
    broker.createTopic("dead", partitions: 1)
  }

  static var settings: WorkerSettings {
    WorkerSettings(
      group: "g", stage: "test",
      deadLetters: DeadLetterSettings(topic: "dead", digest: { bytes in "digest-of-\(bytes.count)" }))
  }

  func start(_ settings: WorkerSettings = TestWorld.settings, log: StageLog = StageLog()) -> TestWorker {
    let endpoint = broker.connect(group: "g", topics: ["in"])
    let worker = TestWorker(endpoint: endpoint, clock: clock, settings: settings, log: log)
    workers.append(worker)
    return worker
  }

  /// The process of this worker is gone.
  func kill(_ worker: TestWorker, pendingCommit: PendingCommit = .lost) {
    worker.endpoint.kill(pendingCommit: pendingCommit)
    workers.removeAll { other in other === worker }
  }

  func send(_ value: String, key: String?, partition: Int32 = 0, interrupting: Bool = false) {
    broker.append(
      TopicPartition(topic: "in", partition: partition), key: key.map { key in Bytes(key) }, value: Bytes(value),
      headers: interrupting ? [Header("interrupt", "1")] : [])
  }

  /// Turns all workers `rounds` times, one millisecond apart.
  func run(rounds: Int = 30) {
    for _ in 0..<rounds {
      for worker in workers { worker.turn() }
      clock.advance(milliseconds: 1)
    }
  }

  /// Values in a topic, in order.
  func values(of topic: String) -> [String] { broker.log(of: topic).map(\.valueText) }

  func committed(partition: Int32 = 0) -> Int64? {
    broker.committed("g", TopicPartition(topic: "in", partition: partition))?.offset
  }
}
