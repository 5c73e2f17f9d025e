// What can go wrong with Kafka, in the caller's terms: what to do now.

/// An error of the broker or of the client library.
package struct KafkaError: Error, Hashable, Sendable {
  /// What the caller should do.
  package enum Reaction: Hashable, Sendable {
    /// It may pass: the same call again.
    case retry
    /// The group has moved on: the work belongs to somebody else now.
    case groupMoved
    /// This one message is refused for its own sake; the same bytes will be refused again.
    case messageRefused
    /// Another live client has our identity.
    case fenced
    /// A setting, a permission or a topic is missing: a person has to act.
    case environment
    /// The client cannot go on; a new one has to be made.
    case clientBroken
  }

  /// The library's name of the error, for example `MSG_SIZE_TOO_LARGE`; empty if it is ours.
  package let code: String
  /// What the caller should do about it.
  package let reaction: Reaction
  /// One line: what is wrong and, where it is known, what to do.
  package let message: String

  package init(code: String, reaction: Reaction, message: String) {
    self.code = code
    self.reaction = reaction
    self.message = message
  }

  /// The position asked for is not in the log: truncated, expired, or the topic was made anew.
  package var isOutOfRange: Bool { code == "_AUTO_OFFSET_RESET" || code == "OFFSET_OUT_OF_RANGE" }

  /// The same error, told with where it happened.
  package func during(_ what: String) -> KafkaError {
    KafkaError(code: code, reaction: reaction, message: "\(what): \(message)")
  }

  /// An error in the environment that a person has to put right.
  package static func environment(_ message: String) -> KafkaError {
    KafkaError(code: "", reaction: .environment, message: message)
  }

  /// The broker did not answer in time; names what was tried and what to check.
  package static func unreachable(brokers: String, detail: String) -> KafkaError {
    KafkaError(
      code: "", reaction: .environment,
      message:
        "no Kafka broker can be reached at \(brokers) (\(detail)); check --brokers, that the broker runs and listens "
        + "on an address reachable from here, and TLS or SASL settings")
  }
}
