// The services' common ground: idempotency keys. The rules of each service are in the files beside this one.

import CheckoutCore

/// All three services as one rule set over a ledger: a call goes in, an answer comes out; time is an argument. The caller
/// runs it inside the ledger's transaction.
package struct SandboxRules: Sendable {
  /// How long things last.
  package let settings: SandboxSettings

  package init(settings: SandboxSettings = SandboxSettings()) {
    self.settings = settings
  }

  /// What the idempotency store says about a call.
  enum KeyCheck {
    /// Never seen, forgotten, or nothing came of it so far: carry it out under this record.
    case proceed(KeyRecord)
    /// It has a result.
    case known(KeyRecord)
    /// It is being worked on.
    case inProgress(KeyRecord)
    /// The key belongs to a call with other content.
    case otherContent
  }

  /// Looks a call's key up and counts the send.
  func check(
    _ key: ProviderKey, content: String, window: TimeSpan? = nil, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> KeyCheck
  {
    guard var record = try remembered(key.text, window: window, in: store, at: now) else {
      return .proceed(KeyRecord(key: key.text, content: content, firstAt: now, sends: 1, readyAt: now))
    }
    guard record.content == content else { return .otherContent }
    record.sends += 1
    if record.outcome == .none { return .proceed(record) }
    try store.put(record)
    return now < record.readyAt ? .inProgress(record) : .known(record)
  }

  /// What is known of a key inside its window, which is the settings' unless said otherwise.
  func remembered(
    _ key: String, window: TimeSpan? = nil, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> KeyRecord?
  {
    guard let record = try store.record(ofKey: key), now < record.firstAt + (window ?? settings.keyWindow) else {
      return nil
    }
    return record
  }

  /// The id of what a call makes: follows from the key, and differs if the key was forgotten and used again.
  func objectID(_ prefix: String, _ record: KeyRecord, in store: any SandboxStore) throws(LedgerProblem) -> String {
    let plain = "\(prefix)_\(record.key)"
    return try store.entries(ofObject: plain).isEmpty ? plain : "\(plain)_\(record.firstAt.nanoseconds)"
  }

  static let keyReused = CallTrouble.notApplied(.permanent, detail: "idempotency_key_reused")
  static let inFlight = CallTrouble.unknown(detail: "a call with this key is in flight")
}
