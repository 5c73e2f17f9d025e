// The one place where librdkafka's codes become our errors.

import CRdKafka

extension KafkaError {
  /// The error for a code; `detail` replaces the library's own description.
  init(_ code: rd_kafka_resp_err_t, detail: String? = nil) {
    // SAFETY: both functions return static strings and accept any code.
    let name = unsafe String(cString: rd_kafka_err2name(code))
    let text = unsafe String(cString: rd_kafka_err2str(code))
    self.init(code: name, reaction: KafkaError.reaction(to: code), message: "\(detail ?? text) (\(name))")
  }

  /// What to do about a code. Codes that are not listed may pass and are tried again.
  private static func reaction(to code: rd_kafka_resp_err_t) -> Reaction {
    switch code {
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION,
      RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
      .groupMoved
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_MSG, RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE,
      RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
      RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
      .messageRefused
    case RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, RD_KAFKA_RESP_ERR_PRODUCER_FENCED,
      RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
      .fenced
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
      RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
      RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_GROUP_ID,
      RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL,
      RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
      RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
      RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__INVALID_ARG, RD_KAFKA_RESP_ERR_INVALID_CONFIG,
      RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS, RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
      .environment
    case RD_KAFKA_RESP_ERR__FATAL, RD_KAFKA_RESP_ERR__DESTROY:
      .clientBroken
    default:
      .retry
    }
  }

  /// Nil if the code says that nothing is wrong.
  static func unlessOK(_ code: rd_kafka_resp_err_t) -> KafkaError? {
    code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code)
  }
}
