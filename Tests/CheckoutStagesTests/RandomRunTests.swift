// Whole runs from seeds: random mixes of messages, faults of the services, crashes, restarts, rebalances, workers that stand
// still, slow journals. `RANDOM_RUNS=FIRST-LAST` in the environment runs other seeds.

import CheckoutSimulation
import Foundation
import Testing
import WorkerEngine

@Suite("Random runs")
struct RandomRunTests {
  private static var seeds: ClosedRange<UInt64> {
    let wanted = (ProcessInfo.processInfo.environment["RANDOM_RUNS"] ?? "").split(separator: "-").compactMap {
      UInt64($0)
    }
    return wanted.count == 2 && wanted[0] <= wanted[1] ? wanted[0]...wanted[1] : 1...200
  }

  @Test("every promise is kept, whatever happens")
  func randomRuns() throws {
    for seed in Self.seeds {
      let run = try RandomRun(seed: seed)
      #expect(run.violations == [], "seed \(seed)")
    }
  }

  // Until fault 7 was fixed (a message that came back to its own worker) 96, 112, 123 and 288 failed, in 288 with money kept
  // after an unpaid end; until fault 8 was fixed too (a refused charge, looked up for a day) 88, 132, 177 and 230. 323 and 461
  // failed before both.
  @Test(
    "seeds that failed once keep every promise",
    arguments: [88, 96, 112, 123, 132, 177, 230, 288, 323, 461] as [UInt64])
  func failedOnce(seed: UInt64) throws {
    #expect(try RandomRun(seed: seed).violations == [])
  }

  @Test("the same seed gives the same bytes in every topic", arguments: [3, 14, 15, 92, 65] as [UInt64])
  func deterministic(seed: UInt64) throws {
    let first = try RandomRun(seed: seed).world.pipeline
    let second = try RandomRun(seed: seed).world.pipeline
    for topic in first.broker.topicNames {
      #expect(first.broker.log(of: topic) == second.broker.log(of: topic), "\(topic), seed \(seed)")
    }
    #expect(first.clock.now() == second.clock.now())
  }
}
