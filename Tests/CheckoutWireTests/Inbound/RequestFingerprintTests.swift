// Fingerprints and canonical forms against vectors that another implementation (in Python) computed.
import CheckoutCore
import CheckoutWire
import Testing

struct RequestFingerprintTests {
  @Test func `every vector has its canonical form and fingerprint`() throws {
    let file = try JSONValue(parsing: try SampleFiles.bytes("schemas/fingerprint-vectors.json")[...])
    let vectors = try #require(file["vectors"]).elements
    #expect(vectors.count >= 25)
    for vector in vectors {
      let name = vector["name"]?.string ?? "?"
      let text = try #require(vector["json"]?.string)
      let document = try JSONDocument(parsing: Array(text.utf8)[...])
      let canonical = CanonicalJSON.bytes(
        document, document.root, omitting: MemberNames(.requestedAt, .clientContext, .schemaVersion))
      #expect(String(decoding: canonical, as: UTF8.self) == vector["canonical"]?.string, "\(name)")
      #expect(Fingerprint(document, document.root).text == vector["fingerprint"]?.string, "\(name)")
    }
  }

  @Test func `the hash is SHA-256`() {
    #expect(SHA256.hex([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(SHA256.hex(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
