// The samples through the whole pipeline, in virtual time: each must end as its expectation says.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutTools
import CheckoutWire
import Testing
import WorkerEngine

/// What the samples led to.
private struct SampleRun {
  let world: StageWorld
  let report: DemoReport
  let book: AnswerBook

  init(_ change: (inout PipelineSettings) -> Void, workersPerStage: Int = 1) throws {
    let world = try StageWorld(startingAll: false, change)
    let pipeline = world.pipeline
    for instance in 1...workersPerStage {
      for stage in PipelineStage.allCases { try pipeline.start(stage, instance: instance) }
    }
    let samples = try RepositoryFile.samples().samples
    let submission = Submission(run: "samples", messages: samples.map(\.message))
    for index in samples.indices {
      pipeline.broker.append(submission.output(index, topic: pipeline.topics.name(.requests)))
    }
    #expect(pipeline.settle(atMost: .seconds(300)))
    var book = AnswerBook(
      submission: submission,
      topics: AnswerTopics(
        requests: pipeline.topics.name(.requests), outcomes: pipeline.topics.name(.outcomes),
        rejections: pipeline.topics.name(.rejections), deadLetters: pipeline.topics.name(.deadLetters)))
    for role in [TopicRole.requests, .rejections, .outcomes, .deadLetters] {
      for record in pipeline.log(role) { _ = book.take(record.topicRecord) }
    }
    self.world = world
    self.book = book
    report = DemoReport(
      samples: samples, book: book, ledger: try world.report(),
      collectAll: pipeline.settings.policy.mode == .collectAll)
  }
}

@Suite("Samples")
struct SamplesTests {
  @Test("every sample and every poison message ends as it must", arguments: ValidationMode.allCases)
  func everySample(mode: ValidationMode) throws {
    let run = try SampleRun { settings in settings.policy.mode = mode }
    #expect(run.report.violations == [])
    #expect(run.report.requests == 78)
    #expect(run.book.open == [])
    #expect(run.report.doubleCharges == 0)
  }
}
