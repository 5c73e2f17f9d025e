// Which properties pass through and which are refused, and how much the library may log.

import Testing

@testable import KafkaAdapter

struct KafkaSettingsTests {
  private func problem(_ property: KafkaProperty) -> String? {
    do {
      _ = try KafkaSettings(brokers: "localhost:9092", properties: [property])
      return nil
    } catch {
      return error.message
    }
  }

  @Test(
    "properties of the engine are refused by name",
    arguments: [
      "isolation.level", "enable.auto.commit", "enable.auto.offset.store", "enable.idempotence", "transactional.id",
      "partitioner", "acks", "group.id", "bootstrap.servers",
    ])
  func ownedIsRefused(_ name: String) {
    let message = problem(KafkaProperty(name, "x"))
    #expect(message?.contains("\(name) belongs to the engine") == true)
  }

  @Test("a cooperative assignor is refused, the others pass")
  func assignor() {
    #expect(problem(KafkaProperty("partition.assignment.strategy", "cooperative-sticky"))?.contains("range") == true)
    #expect(problem(KafkaProperty("partition.assignment.strategy", "roundrobin")) == nil)
  }

  @Test("the library's own words say what is wrong with a property")
  func libraryTextIsPassedOn() {
    let unknown = problem(KafkaProperty("no.such.property", "1"))
    #expect(unknown == "Kafka property no.such.property: No such configuration property: \"no.such.property\"")
    let value = problem(KafkaProperty("socket.timeout.ms", "soon"))
    #expect(value?.hasPrefix("Kafka property socket.timeout.ms: ") == true)
  }

  @Test("TLS and SASL properties pass")
  func securityPasses() {
    #expect(problem(KafkaProperty("security.protocol", "SASL_SSL")) == nil)
    #expect(problem(KafkaProperty("sasl.mechanisms", "SCRAM-SHA-512")) == nil)
  }

  @Test("no brokers is an error of its own")
  func noBrokers() {
    #expect(throws: KafkaError.self) { try KafkaSettings(brokers: "") }
  }
}
