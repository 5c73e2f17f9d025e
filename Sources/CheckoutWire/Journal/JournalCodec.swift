// The text of a journal row. Two JSON objects: what never changes is written once, what changes is written each time.
// `version`, `epoch` and `owner` are not in them: they are the journal's own columns. Times are integers of nanoseconds.

package import CheckoutCore

/// Rows of the journal as bytes and back; the same for every journal.
package enum JournalCodec {
  /// Version of both objects, their member `v`. A reader refuses a higher one.
  package static let formatVersion: Int64 = 1

  /// What a journal keeps in columns of its own beside the two objects.
  package struct Columns: Hashable, Sendable {
    /// The row's version, from 1.
    package let version: Int64
    /// The row's epoch, from 1.
    package let epoch: Int64
    /// Name of the worker that owns the row; nil: nobody.
    package let owner: String?

    package init(version: Int64, epoch: Int64, owner: String?) {
      self.version = version
      self.epoch = epoch
      self.owner = owner
    }
  }

  /// The row that was written as these two objects and columns.
  package static func decode(
    _ columns: Columns, birth: ArraySlice<UInt8>, details: ArraySlice<UInt8>
  ) throws(JournalRowProblem) -> Attempt {
    let birth = try object(birth, named: "birth")
    let details = try object(details, named: "details")
    var attempt = try decodeBirth(birth, owedBy: decodeOwedBy(details))
    attempt.version = columns.version
    attempt.epoch = columns.epoch
    attempt.owner = columns.owner.map { WorkerID($0) }
    try decodeDetails(details, into: &attempt)
    return attempt
  }

  /// The steps of one write, as a JSON array.
  package static func encode(_ steps: [Step]) -> [UInt8] {
    if steps.isEmpty { return Array("[]".utf8) }
    var writer = JSONWriter(capacity: 128)
    writer.beginArray()
    for step in steps {
      writer.beginObject()
      writer.field("name", step.name)
      for (index, detail) in step.detail.enumerated() {
        if index == 0 {
          writer.key("detail")
          writer.beginArray()
        }
        writer.beginArray()
        writer.string(detail.name)
        writer.string(detail.value)
        writer.endArray()
      }
      if !step.detail.isEmpty { writer.endArray() }
      writer.endObject()
    }
    writer.endArray()
    return writer.bytes
  }

  /// The steps of one write, read back.
  package static func decodeSteps(_ text: ArraySlice<UInt8>) throws(JournalRowProblem) -> [Step] {
    let value = try parse(text, named: "steps")
    var steps: [Step] = []
    for element in value.elements {
      guard let name = element["name"]?.string else { throw JournalRowProblem(member: "steps.name") }
      var detail: [Step.Detail] = []
      for pair in element["detail"]?.elements ?? [] {
        let parts = pair.elements.compactMap(\.string)
        guard parts.count == 2 else { throw JournalRowProblem(member: "steps.detail") }
        detail.append(Step.Detail(parts[0], parts[1]))
      }
      steps.append(Step(name, detail))
    }
    return steps
  }

  private static func parse(_ text: ArraySlice<UInt8>, named name: String) throws(JournalRowProblem) -> JSONValue {
    do throws(JSONError) { return try JSONValue(parsing: text) } catch { throw JournalRowProblem(member: name) }
  }

  private static func object(
    _ text: ArraySlice<UInt8>, named name: String
  )
    throws(JournalRowProblem) -> JournalRowReader
  {
    let reader = JournalRowReader(try parse(text, named: name), path: name)
    guard try reader.integer("v") <= formatVersion else { throw reader.problem("v") }
    return reader
  }
}
