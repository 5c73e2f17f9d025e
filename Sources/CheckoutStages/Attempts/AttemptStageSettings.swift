// What a stage that works on attempts is made of, and what comes back to it.

package import CheckoutCore

/// What comes back from journal and services.
package enum AttemptEvent: Sendable {
  case journal([JournalReply])
  case gateways([GatewayReply])
}

/// What a stage that works on attempts is made of.
package struct AttemptStageSettings: Sendable {
  /// Limits and budgets of the saga.
  package let saga: SagaSettings
  /// Where events go.
  package let topics: TopicNames
  /// This worker's name in the journal, new for every start.
  package let worker: WorkerID
  /// Seed of the jitter.
  package let seed: UInt64
  /// How often reconciliation looks for attempts nobody works on.
  package let sweepInterval: TimeSpan
  /// Most items that reconciliation holds because they are not due.
  package let heldItemsMax: Int
  /// Most calls to one service at one time; more wait for room, outside the in-flight budget. Nil: no limit.
  package let serviceCallsMax: Int?
  /// Told every two seconds what reconciliation has in hand; called on the worker's thread, must not block. Nil: nobody.
  package var backlog: (@Sendable (Backlog) -> Void)?
  /// Told of each event when it is handed to the engine; called on the worker's thread, must not block. Nil: nobody.
  package var published: (@Sendable (PipelineEvent) -> Void)?

  /// Settings of their parts; defaults as documented.
  package init(
    saga: SagaSettings = SagaSettings(), topics: TopicNames = TopicNames(), worker: WorkerID, seed: UInt64,
    sweepInterval: TimeSpan = .seconds(30), heldItemsMax: Int = 10_000, serviceCallsMax: Int? = nil
  ) {
    self.saga = saga
    self.topics = topics
    self.worker = worker
    self.seed = seed
    self.sweepInterval = sweepInterval
    self.heldItemsMax = heldItemsMax
    self.serviceCallsMax = serviceCallsMax
  }
}
