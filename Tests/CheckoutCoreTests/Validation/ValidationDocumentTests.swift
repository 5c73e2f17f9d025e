// The page about validation says something of every code and check there is.

import CheckoutCore
import Foundation
import Testing

@Suite("docs/validation.md")
struct ValidationDocumentTests {
  private func rows() throws -> [[String]] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/validation.md").standardizedFileURL
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .drop { !$0.hasPrefix("| code | check |") }
      .filter { $0.hasPrefix("| `") }
      .map { row in
        row.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      }
  }

  @Test("has one complete row for each refusal code, and none for others")
  func codes() throws {
    let rows = try rows()
    #expect(rows.map { $0[0] }.sorted() == RefusalCode.allCases.map(\.rawValue).sorted())
    #expect(rows.allSatisfy { $0.count == 5 && $0.allSatisfy { !$0.isEmpty } })
  }

  @Test("lists the codes of the checks in the order of the chain")
  func order() throws {
    let checks = try rows().map { $0[1] }.compactMap(CheckName.init)
    #expect(checks.count == 22)
    let ranks = checks.compactMap { CheckName.allCases.firstIndex(of: $0) }
    #expect(ranks == ranks.sorted())
  }

  @Test("says of each code what the random requests and the checks' own tests say of it")
  func basis() throws {
    let table = Dictionary(uniqueKeysWithValues: try rows().map { ($0[0], $0[3]) })
    let chain = try ValidationChain(policy: ValidationPolicy(livemode: false, mode: .collectAll))
    let spoilt: [(inout SampleRequest) -> Void] = [
      { $0.lines = [] }, { $0.address = nil }, { $0.payment = nil }, { $0.taxMinor = -1 }, { $0.taxMinor = .max },
      { $0.expectedTotalMinor = 1 }, { $0.expiresAt = SampleRequest.noon }, { $0.livemode = true },
      { $0.accountID = "acct_0666" }, { $0.accountID = "nobody" },
      { $0.payment = SampleRequest.payment(type: "shells") },
      { $0.address = SampleRequest.address(postalCode: "1") }, { $0.requestedAt = .distantFuture },
      { $0.discounts = [CheckoutRequest.Discount(code: "D", amountMinor: 9000)] },
      { $0.lines[1] = $0.lines[0] }, { $0 = SampleRequest.single(price: 1) },
      { $0 = SampleRequest.single(price: .max) },
    ]
    for spoil in spoilt {
      var sample = SampleRequest()
      spoil(&sample)
      for finding in chain.run(sample.request, in: .sample).findings {
        let expected = finding.basis == .content ? "content" : "changeable"
        #expect(table[finding.refusal.code.rawValue] == expected, "\(finding.refusal.code.rawValue)")
      }
    }
  }
}
