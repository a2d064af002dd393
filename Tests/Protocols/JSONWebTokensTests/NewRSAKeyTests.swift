import GatehouseWire
import JSONWebTokens
import Testing

@Suite("New RSA keys")
struct NewRSAKeyTests {
    @Test("A new RS256 key has 2,048 bits, a name, and signs what its public half verifies")
    func signs() throws {
        let key = try JSONWebKey.newRS256()
        #expect(key.algorithm == .rs256)
        #expect(key.maySign)
        #expect(key.id == key.thumbprint)
        let members = try JSONReader.read(key.privateJWK.reveal())
        #expect(Base64URL.decode(members["n"]?.stringValue ?? "")?.count == 256)
        let token = try TokenSigner(key).sign(payload: Array(#"{"sub":"s","exp":2000000000}"#.utf8))
        let keys = try KeySet([try #require(key.publicHalf)])
        #expect(try keys.verify(token, at: Instant(seconds: 1_900_000_000)).claims.subject == "s")
    }

    @Test("The stored key reads back as itself")
    func roundTrip() throws {
        let key = try JSONWebKey.newRS256(id: "mine")
        #expect(key.id == "mine")
        let again = try JSONWebKey(text: key.privateJWK)
        #expect(again.thumbprint == key.thumbprint)
        #expect(again.maySign)
        #expect(try JSONWebKey.newRS256().thumbprint != key.thumbprint)
    }
}
