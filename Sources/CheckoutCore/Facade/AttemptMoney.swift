// What an attempt's row says of money: the charge, what is given back, and the receipt.

/// What is known of the charge. Payment only moves forward: a definite status is never replaced by a less definite one.
package struct Charge: Hashable, Sendable {
  /// Valid transitions: none → sent | notRequired; sent → captured | authorised | declined | actionRequired | refused |
  /// absent; actionRequired → absent | captured; authorised → captured (told by a refused void).
  package enum Status: Hashable, Sendable {
    /// Never sent.
    case none
    /// Total 0: nothing to pay.
    case notRequired
    /// Sent, or about to be: unknown until answered or looked up.
    case sent
    case captured(chargeID: String, amount: Amount)
    case authorised(chargeID: String, amount: Amount)
    case declined(code: String)
    /// An intent is open at the provider and must be cancelled before the attempt may fail.
    case actionRequired(chargeID: String)
    /// Certainly refused by the provider (permanent error, or not applied and no longer tried).
    case refused(detail: String)
    /// Looked up and not found after `settle_after`, or its open intent was cancelled: ended as not charged.
    case absent
  }

  /// What is known of it now; only ever gets more definite.
  package var status: Status
  /// Journal time of the first and of the latest send; nil before.
  package var firstSentAt: Timestamp?
  /// Journal time of the latest send's intent; nil before. The call itself may have gone out later: `settlesFrom`.
  package var lastSentAt: Timestamp?
  /// The latest send cannot have gone on the wire after this journal time; `settle_after` counts from here. Nil: the
  /// worker that journaled the intent is still at it.
  package var settlesFrom: Timestamp?
  /// The latest send was certainly not carried out: no look-up is needed before the next one.
  package var isNotApplied: Bool
  /// True once any send got no definite answer; such an attempt is watched if it ends unpaid.
  package var everUnknown: Bool
  /// A person has looked into it and said that it goes on: `not found` is believed although the key may be forgotten.
  package var personLooked: Bool

  package init(
    status: Status = .none, firstSentAt: Timestamp? = nil, lastSentAt: Timestamp? = nil, settlesFrom: Timestamp? = nil,
    isNotApplied: Bool = false, everUnknown: Bool = false, personLooked: Bool = false
  ) {
    self.status = status
    self.firstSentAt = firstSentAt
    self.lastSentAt = lastSentAt
    self.settlesFrom = settlesFrom
    self.isNotApplied = isNotApplied
    self.everUnknown = everUnknown
    self.personLooked = personLooked
  }
}

/// Money that is to be given back.
package struct Compensation: Hashable, Sendable {
  /// void for what is only authorised (or an open intent), refund for what was captured.
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    case void
    case refund
  }

  /// Valid transitions: owed → sent → done | refused; sent → owed (certainly not applied).
  package enum Status: Hashable, Sendable {
    case owed
    /// Sent, or about to be: unknown until answered or looked up.
    case sent
    /// Done; `reference` is the provider's id, empty for a void.
    case done(reference: String)
    case refused(detail: String)
  }

  /// May turn from void to refund when the provider says that the money was captured.
  package var kind: Kind
  /// The provider's id of the charge (or open intent) to undo.
  package let chargeID: String
  /// Exactly what was captured or authorised.
  package var amount: Amount
  /// How far it has come.
  package var status: Status
  /// Journal time of the first and of the latest send.
  package var firstSentAt: Timestamp?
  /// Journal time of the latest send's intent; nil before.
  package var lastSentAt: Timestamp?
  /// As `Charge.settlesFrom`, of the latest send.
  package var settlesFrom: Timestamp?

  package init(
    kind: Kind, chargeID: String, amount: Amount, status: Status = .owed, firstSentAt: Timestamp? = nil,
    lastSentAt: Timestamp? = nil, settlesFrom: Timestamp? = nil
  ) {
    self.kind = kind
    self.chargeID = chargeID
    self.amount = amount
    self.status = status
    self.firstSentAt = firstSentAt
    self.lastSentAt = lastSentAt
    self.settlesFrom = settlesFrom
  }
}

/// What is known of the receipt.
package struct Receipt: Hashable, Sendable {
  /// Journal time of the first send's intent; nil before, and again once it is certain that none was carried out.
  package var firstSentAt: Timestamp?
  /// The receipt's address, once created.
  package var url: String?

  package init(firstSentAt: Timestamp? = nil, url: String? = nil) {
    self.firstSentAt = firstSentAt
    self.url = url
  }
}

extension Charge {
  /// True while the provider may still take money for it.
  package var isOpen: Bool {
    switch status {
    case .sent, .actionRequired: true
    case .none, .notRequired, .captured, .authorised, .declined, .refused, .absent: false
    }
  }

  /// True if it is given up on although an earlier send got no answer: nobody found it, or a later send was refused, which
  /// says nothing of the earlier one. A decline is the provider's word about the charge itself.
  var mayStillComeThrough: Bool {
    guard everUnknown else { return false }
    return switch status {
    case .absent, .refused: true
    case .none, .notRequired, .sent, .captured, .authorised, .declined, .actionRequired: false
    }
  }
}

extension Charge {
  /// A charge that was sent and not found ends as not charged; one that was never sent stays that.
  mutating func endAsNotCharged() {
    if status == .sent { status = .absent }
  }

  /// Only the first word about a send counts.
  mutating func settleSend(from time: Timestamp) {
    if status == .sent, settlesFrom == nil { settlesFrom = time }
  }

  /// The intent of a send is journaled: what was known of the send before says nothing about this one.
  mutating func intendSend(at now: Timestamp) {
    status = .sent
    firstSentAt = firstSentAt ?? now
    lastSentAt = now
    settlesFrom = nil
    isNotApplied = false
    personLooked = false
  }
}

extension Compensation {
  /// Only the first word about a send counts.
  mutating func settleSend(from time: Timestamp) {
    if status == .sent, settlesFrom == nil { settlesFrom = time }
  }

  /// The intent of a send is journaled.
  mutating func intendSend(at now: Timestamp) {
    status = .sent
    firstSentAt = firstSentAt ?? now
    lastSentAt = now
    settlesFrom = nil
  }

  /// The only send there was has certainly not been carried out: owed as if it had never been sent, so that the next one
  /// begins a key window of its own. After several sends the first one's window still counts.
  mutating func takeBackSend() {
    status = .owed
    guard firstSentAt == lastSentAt else { return }
    firstSentAt = nil
    lastSentAt = nil
    settlesFrom = nil
  }
}

extension Attempt {
  /// Nothing that was sent before can go on the wire after `time`: its sender has answered, has given the attempt up, or its
  /// lease is over. Only the first word about a send counts, so that a put-back never puts the answer off again.
  mutating func settleSends(from time: Timestamp) {
    charge.settleSend(from: time)
    compensation?.settleSend(from: time)
    watch?.owed?.settleSend(from: time)
  }
}
