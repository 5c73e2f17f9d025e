// Records keep their parts in one array: what went in comes out, null told from empty.

import Testing

@testable import WorkerEngine

@Suite("Records")
struct RecordTests {
  @Test("Key, value and headers come out as they went in")
  func parts() {
    let headers = [
      Header("ce_type", "a"), Header(name: Bytes("n"), value: nil), Header("empty", ""), Header("ce_type", "b"),
    ]
    let record = Record(slot: 3, offset: 9, timestamp: -1, key: Bytes(""), value: nil, headers: headers)
    #expect(record.slot == 3)
    #expect(record.key == Bytes(""))
    #expect(record.value == nil)
    #expect(record.headers == headers)
    #expect(record.payloadBytes == 7 + 1 + 1 + 5 + 7 + 1)
  }

  @Test("An output that passes a record on has the same key, value and headers")
  func passing() {
    let record = Record(
      slot: 0, offset: 1, timestamp: 2, key: nil, value: Bytes("v"), headers: [Header("h", "x"), Header("h", "y")])
    let output = Output(topic: "out", passing: record)
    #expect(output == Output(topic: "out", key: nil, value: Bytes("v"), headers: [Header("h", "x"), Header("h", "y")]))
    #expect(output.payloadBytes == 5)
  }
}
