// The samples that ship with the project, and what each must lead to.

package import CheckoutCore
import CheckoutWire
import WorkerEngine

/// Why the samples cannot be used: file, line, what is wrong.
package struct SampleProblem: Error, Hashable, Sendable {
  /// One line for a person.
  package let detail: String
}

/// What a sample must lead to; parts that are nil are not looked at.
package struct SampleExpectation: Hashable, Sendable {
  /// `checkout.completed`, `dead-letter CODE` or `skipped`.
  package let answer: String
  /// Refusal codes, in order, when the first failing check stops the chain.
  package let codes: [String]?
  /// Refusal codes, in order, when all checks run; nil: the same as `codes`.
  package let codesInCollectAll: [String]?
  /// Whether the answer repeats an earlier one.
  package let replayed: Bool?
  /// What the outcome says is to be paid, in minor units.
  package let amountMinor: Int64?
  /// `captured`, `authorised`, `not_required`, as the outcome says.
  package let paymentStatus: String?
  /// What the outcome says was taken, in minor units.
  package let capturedMinor: Int64?
  /// The provider's reason, as the outcome says.
  package let declineCode: String?
  /// JSON Pointer to the refused member.
  package let path: String?
  /// Type of the notice that comes before or instead of the outcome.
  package let notice: String?
  /// The price the request had, in minor units, as the refusal says.
  package let expectedPrice: Int64?
  /// The price of the reference data, in minor units, as the refusal says.
  package let actualPrice: Int64?
  /// Number of charges that took or held money at the sandbox.
  package let charges: Int64?
  /// Number of receipts the checkout got at the sandbox.
  package let receipts: Int64?
  /// Whether the sandbox took or held any money for the checkout.
  package let charged: Bool?
  /// True: all that was captured was given back.
  package let refundsEqualCharges: Bool
}

/// One sample.
package struct Sample: Sendable {
  /// What is sent.
  package let message: SubmittedMessage
  /// For a person.
  package let title: String
  /// What must come of it.
  package let expectation: SampleExpectation
  /// Whom it is about; nil where that cannot be read.
  package let checkout: CheckoutKey?
}

/// Samples in the order they are sent.
package struct SampleSet: Sendable {
  /// In the order they are sent.
  package let samples: [Sample]

  /// Reads the three files' contents: requests, what they lead to, and poison messages with theirs.
  package init(requests: [UInt8], expected: [UInt8], poison: [UInt8]) throws(SampleProblem) {
    var samples: [Sample] = []
    let lines = requests.split(separator: 0x0A)
    let expectations = try Self.objects(expected, file: "expected.ndjson")
    guard lines.count == expectations.count else {
      throw SampleProblem(detail: "requests.ndjson and expected.ndjson differ in length")
    }
    for (line, expectation) in zip(lines, expectations) {
      let request = try? JSONValue(parsing: line)
      var checkout: CheckoutKey?
      if let merchant = request?["merchant_id"]?.string, let id = request?["checkout_id"]?.string {
        checkout = CheckoutKey(merchantID: merchant, checkoutID: id)
      }
      samples.append(
        Sample(
          message: SubmittedMessage(name: "line \(samples.count + 1)", line: line),
          title: expectation["what"]?.string ?? "", expectation: SampleExpectation(expectation), checkout: checkout))
    }
    for object in try Self.objects(poison, file: "poison.ndjson") {
      samples.append(try Self.poison(object))
    }
    self.samples = samples
  }

  private static func objects(_ text: [UInt8], file: String) throws(SampleProblem) -> [JSONValue] {
    var objects: [JSONValue] = []
    for (index, line) in text.split(separator: 0x0A).enumerated() {
      do throws(JSONError) {
        objects.append(try JSONValue(parsing: line))
      } catch {
        throw SampleProblem(detail: "\(file):\(index + 1): \(error.detail)")
      }
    }
    return objects
  }

  private static func poison(_ object: JSONValue) throws(SampleProblem) -> Sample {
    guard let name = object["name"]?.string, let expect = object["expect"]?.string else {
      throw SampleProblem(detail: "poison.ndjson: a line without name or expect")
    }
    return Sample(
      message: SubmittedMessage(
        name: name, key: try bytes(object["key_base64"]), value: try bytes(object["value_base64"])),
      title: name, expectation: SampleExpectation(answer: expect), checkout: nil)
  }

  private static func bytes(_ value: JSONValue?) throws(SampleProblem) -> Bytes? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.string, let bytes = Base64.decode(ArraySlice(text.utf8)) else {
      throw SampleProblem(detail: "poison.ndjson: not base64")
    }
    return Bytes(bytes)
  }
}

extension SampleExpectation {
  fileprivate init(_ object: JSONValue) {
    answer = object["expect"]?.string ?? ""
    codes = object["codes"]?.elements.compactMap(\.string)
    codesInCollectAll = object["collect_all"]?.elements.compactMap(\.string)
    replayed = object["replayed"]?.bool
    amountMinor = object["amount_minor"]?.integer
    paymentStatus = object["payment_status"]?.string
    capturedMinor = object["captured_minor"]?.integer
    declineCode = object["decline_code"]?.string
    path = object["path"]?.string
    notice = object["notice"]?.string
    expectedPrice = object["expected_price"]?.integer
    actualPrice = object["actual_price"]?.integer
    charges = object["charges"]?.integer
    receipts = object["receipts"]?.integer
    charged = object["charged"]?.bool
    refundsEqualCharges = object["refunds_equal_charges"]?.bool ?? false
  }

  fileprivate init(answer: String) {
    self.answer = answer
    codes = nil
    codesInCollectAll = nil
    replayed = nil
    amountMinor = nil
    paymentStatus = nil
    capturedMinor = nil
    declineCode = nil
    path = nil
    notice = nil
    expectedPrice = nil
    actualPrice = nil
    charges = nil
    receipts = nil
    charged = nil
    refundsEqualCharges = false
  }
}
