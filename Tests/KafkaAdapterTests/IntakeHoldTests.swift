// Pauses: all partitions at once cost nothing, some of them reach the library.

import Testing

@testable import KafkaAdapter

struct IntakeHoldTests {
  @Test("pausing all partitions only stops reading")
  func allIsAHold() {
    var hold = IntakeHold(partitions: 2)
    #expect(hold.set([0, 1], paused: true) == IntakeHold.Change())
    #expect(hold.isHolding)
    #expect(hold.set([0, 1], paused: false) == IntakeHold.Change())
    #expect(!hold.isHolding)
  }

  @Test("pausing some partitions tells the library, once")
  func someAreTold() {
    var hold = IntakeHold(partitions: 3)
    #expect(hold.set([1], paused: true) == IntakeHold.Change(pause: [1]))
    #expect(hold.set([1], paused: true) == IntakeHold.Change())
    #expect(hold.set([1], paused: false) == IntakeHold.Change(resume: [1]))
  }

  @Test("when a hold ends for some partitions only, the others are paused at the library")
  func partialEndOfAHold() {
    var hold = IntakeHold(partitions: 3)
    _ = hold.set([0, 1, 2], paused: true)
    #expect(hold.set([0, 2], paused: false) == IntakeHold.Change(pause: [1]))
    #expect(hold.set([0, 2], paused: true) == IntakeHold.Change())
    #expect(hold.isHolding)
    #expect(hold.set([0, 1, 2], paused: false) == IntakeHold.Change(resume: [1]))
  }

  @Test("no partitions are no hold")
  func nothingAssigned() {
    #expect(!IntakeHold(partitions: 0).isHolding)
  }
}
