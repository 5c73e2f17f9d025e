// What goes into the saga's machine and what comes out of it.

/// One call that a machine wants made. Stages add the lease's `notAfter` and an id.
package struct SagaCall: Hashable, Sendable {
  /// To which service, with which command.
  package enum Command: Hashable, Sendable {
    case inventory(InventoryCommand)
    case payment(PaymentCommand)
    case receipt(ReceiptCommand)
  }

  /// Which call of the attempt.
  package let operation: Operation
  /// The provider key it goes under.
  package let key: ProviderKey
  /// What to do.
  package let command: Command
  /// The call must not be sent after this (journal time): the end of the provider's key window; nil: no such end.
  package let notAfter: Timestamp?

  /// True for calls that can move money or stock or send something.
  package var hasEffect: Bool {
    if case .payment(.lookUp) = command { false } else { true }
  }
}

/// What happens to a machine.
package enum SagaEvent: Hashable, Sendable {
  /// The row is ours: it has just been created by us.
  case created
  /// The row is ours: it was taken over; what was sent before is not known.
  case tookOver
  /// The write asked for is durable.
  case written
  /// The write asked for was refused: this is how the row is.
  case conflicted(Attempt?)
  /// The journal refused the write's data.
  case journalRefused(detail: String)
  /// The answer to the inventory call in flight.
  case inventory(InventoryReply)
  /// The answer to the payment call in flight.
  case payment(PaymentReply)
  /// The answer to the receipt call in flight.
  case receipt(ReceiptReply)
  /// The time waited for has come.
  case due
  /// The service that did not answer does again: what waits for its turn to try need not wait any longer.
  case serviceIsBack
  /// Room is needed: what waits is to wait at its topic's end.
  case putBack
  /// This worker itself has changed the row by another write (a cancellation was recorded).
  case changed(Attempt)
  /// The attempt is to be given up: its partition is gone, or the lease.
  case giveUp
}

/// What a machine wants done next; exactly one thing at a time.
package enum SagaAction: Hashable, Sendable {
  /// Nothing: something is still under way, or all is over.
  case nothing
  /// Write the row; answer with `written`, `conflicted` or `journalRefused`.
  case write(AttemptWrite)
  /// Make the call; answer with its reply.
  case call(SagaCall)
  /// Answer with `due` at this journal time.
  case wait(until: Timestamp)
  /// The machine is done with the attempt.
  case finish(SagaEnd)
}

/// How a machine is done with an attempt.
package enum SagaEnd: Hashable, Sendable {
  /// The attempt has ended: publish its outcome and the copies that wait.
  case ended
  /// The attempt is with reconciliation now: publish its pending event, and the notice if there is one.
  case handedOver
  /// The attempt is parked: publish the notice.
  case parked
  /// Obligations of an ended attempt were worked on; nothing is published.
  case obligationsDone
  /// Somebody else owns the attempt now: ask again who answers.
  case lost
  /// Given up as asked.
  case gaveUp
}

/// In whose name and for what a machine works.
package enum SagaRole: Hashable, Sendable {
  /// The facade: short budgets, then hand over.
  case facade
  /// Reconciliation, owing the outcome: long budgets, then park.
  case reconciliation
  /// Reconciliation, on obligations of an attempt that has ended.
  case watching
}
