// No origin is answered twice, and none never, in any interleaving within the bounds. With CHECKOUT_EXPLORE=full in the
// environment the bounds are those of the design (minutes instead of seconds).

import Foundation
import Testing

@Suite(.serialized) struct WhoAnswersExplorationTests {
  private static let isFull = ProcessInfo.processInfo.environment["CHECKOUT_EXPLORE"] == "full"

  /// A crash or a zombie, not both; all of it when asked for.
  private static let boundsTried: [WhoAnswersExplorer.Bounds] =
    isFull
    ? [WhoAnswersExplorer.Bounds()]
    : [
      WhoAnswersExplorer.Bounds(pendingMax: 2, crashesMax: 1, zombiesMax: 0),
      WhoAnswersExplorer.Bounds(pendingMax: 2, crashesMax: 0, zombiesMax: 1),
    ]

  @Test(
    "every interleaving of a request, of a copy of it, and of the same request validated twice",
    arguments: [[0], [0, 1], [0, 2]])
  func sound(messages: [Int]) throws {
    for bounds in Self.boundsTried {
      var explorer = try WhoAnswersExplorer(bounds: bounds)
      let result = explorer.run(messages)
      #expect(result.violation == nil)
      #expect(result.states > 1000)
      #expect(result.atRest > 30)
    }
  }

  @Test(
    "the exploration notices a broken rule",
    arguments: [WhoAnswersExplorer.Mutation.alwaysMine, .forgetsHandOver])
  func broken(mutation: WhoAnswersExplorer.Mutation) throws {
    let bounds = WhoAnswersExplorer.Bounds(pendingMax: 2, crashesMax: 1, zombiesMax: 0)
    var explorer = try WhoAnswersExplorer(bounds: bounds, mutation: mutation)
    #expect(explorer.run([0, 1]).violation != nil)
  }
}
