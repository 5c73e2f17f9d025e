// Members by number against the plain way: all names read and compared one by one.
import CheckoutCore
import CheckoutWire
import Testing

private func parse(_ text: String) throws(JSONError) -> JSONDocument {
  try JSONDocument(parsing: Array(text.utf8)[...])
}

// Names that a careless table would take for one of ours.
private func neighbours(of name: String) -> [String] {
  let last = String(name.dropLast())
  return [
    last, name + "x", "x" + name, last + "\u{1}", String(name.reversed()), name.uppercased(), name + name,
    String(name.prefix(8)), String(name.prefix(8)) + String(name.dropFirst(8).reversed()), last + "é", "",
  ].filter { $0 != name }
}

// A name as a JSON string, some of its characters as escapes.
private func written(_ name: String, _ random: inout SplitMix64) -> String {
  var text = "\""
  for scalar in name.unicodeScalars {
    let mustEscape = scalar.value < 0x20
    if mustEscape || random.below(6) == 0 {
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    } else {
      text.unicodeScalars.append(scalar)
    }
  }
  return text + "\""
}

struct JSONFieldsTests {
  @Test func `names are numbered in the order in which they sort`() {
    let names = MemberName.allCases
    let texts = names.map(\.text.description)
    #expect(texts == texts.sorted { Array($0.utf16).lexicographicallyPrecedes(Array($1.utf16)) })
    #expect(Set(texts).count == texts.count)
    #expect(names.map(\.rawValue) == (1...UInt8(names.count)).map { $0 })
    #expect(names.count < 48)
  }

  @Test func `every name is found, whatever stands around it`() throws {
    for name in MemberName.allCases {
      let text = name.text.description
      let members = Set(neighbours(of: text)).sorted().enumerated().map { "\"\($0.element)\":\($0.offset)" }
      for place in [0, members.count / 2, members.count] {
        var all = members.filter { !$0.contains("\u{1}") }
        all.insert("\"\(text)\":777", at: min(place, all.count))
        let document = try parse("{" + all.joined(separator: ",") + "}")
        let fields = document.fields(document.root)
        #expect(fields[name].flatMap { document.integer($0) } == 777, "\(text)")
      }
    }
  }

  @Test func `an escaped name is the same name, and a duplicate of it`() throws {
    let document = try parse(#"{"\u0063urrency":"EUR","cu\u0072\u0072ency2":1}"#)
    let fields = document.fields(document.root)
    #expect(fields[.currency].flatMap { document.string($0) } == "EUR")
    #expect(throws: JSONError.duplicateKey) { try parse(#"{"currency":1,"\u0063urrency":2}"#) }
    #expect(throws: JSONError.duplicateKey) { try parse(#"{"other":1,"oth\u0065r":2}"#) }
  }

  @Test func `what is no object has no fields`() throws {
    for text in ["[1]", "7", "null", #""currency""#, "{}"] {
      let document = try parse(text)
      let fields = document.fields(document.root)
      #expect(MemberName.allCases.allSatisfy { fields[$0] == nil }, "\(text)")
    }
  }

  @Test func `random objects read the same by number as by name`() throws {
    var random = SplitMix64(seed: 20_261_201)
    let known = MemberName.allCases.map(\.text.description)
    let pool = known + known.flatMap(neighbours) + (0..<60).map { "unknown_\($0)" }
    var duplicates = 0
    for _ in 0..<6000 {
      // Now and then more unknown names than are compared one by one.
      let count = random.below(8) == 0 ? 20 + random.below(40) : random.below(12)
      let names = (0..<count).map { _ in
        random.below(2) == 0 ? known[random.below(known.count)] : pool[random.below(pool.count)]
      }
      let text =
        "{" + names.enumerated().map { written($0.element, &random) + ":\($0.offset)" }.joined(separator: ",") + "}"
      let bytes = names.map { Array($0.utf8) }
      if Set(bytes).count < bytes.count {
        duplicates += 1
        #expect(throws: JSONError.duplicateKey, "\(text)") { try parse(text) }
        continue
      }
      let document = try parse(text)
      let fields = document.fields(document.root)
      for name in MemberName.allCases {
        let expected = names.firstIndex(of: name.text.description).map(Int64.init)
        #expect(fields[name].flatMap { document.integer($0) } == expected, "\(text)")
        #expect(document.member(document.root, name.text).flatMap { document.integer($0) } == expected)
      }
    }
    #expect(duplicates > 500)
  }
}
