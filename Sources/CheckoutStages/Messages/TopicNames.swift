// What the deployment calls its topics.

package import CheckoutWire

/// Names of the pipeline's topics: a prefix and a fixed suffix for each role.
package struct TopicNames: Hashable, Sendable {
  /// `--topic-prefix`, default `checkout.`.
  package let prefix: String
  // Made once: a name is needed for every message.
  private let names: [String]

  /// Topics that begin with `prefix`.
  package init(prefix: String = "checkout.") {
    self.prefix = prefix
    names = TopicRole.allCases.map { prefix + $0.suffix }
  }

  /// The full name of a topic.
  package func name(_ role: TopicRole) -> String { names[role.index] }
}
