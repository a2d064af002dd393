import GatehouseWire
import JSONWebTokens
import Testing

@Suite("Tokens of other issuers, by signature only")
struct SignedPayloadTests {
    private let keys: KeySet

    init() throws { keys = try KeySet([TestKeys.key(.es256)]) }

    private static let header: AuthJSON = ["alg": "ES256", "kid": "ES256", "typ": "AT+JWT"]

    @Test("Claims of any type, or none, are passed on, with the type of the token")
    func reading() throws {
        let claims: AuthJSON = ["role": ["a", "b"], "exp": "never", "is_anonymous": 1]
        let payload = try keys.payload(of: token(Self.header, claims, by: .es256))
        #expect(.object(payload.members) == claims)
        #expect(payload.algorithm == .es256)
        #expect(payload.type == "at+jwt")
        #expect(try keys.payload(of: token(Self.header.without("typ"), [:], by: .es256)).type == nil)
    }

    @Test("Form, header, key and signature are checked as for every token")
    func refusals() throws {
        func refusal(_ token: String) -> TokenRejection? {
            do throws(TokenRejection) {
                _ = try keys.payload(of: token)
                return nil
            } catch {
                return error
            }
        }
        let good = try token(Self.header, by: .es256)
        #expect(refusal(good) == nil)
        #expect(refusal("x.y.z") == .malformed(.header))
        #expect(try refusal(token(Self.header.with(["kid": "x"]), by: .es256)) == .unknownKey("x"))
        #expect(try refusal(token(["alg": "HS256", "kid": "ES256"], by: .hs256)) == .algorithmMismatch)
        #expect(try refusal(token(Self.header, by: .hs256)) == .badSignature)
        #expect(try refusal(token(header: Self.header.text, payload: "[]", by: .es256)) == .malformed(.payload))
    }

    @Test("An unverified token can be read to choose its issuer")
    func unverified() throws {
        let forged = try token(["alg": "none"], ["iss": "https://a.example"], by: .hs256)
        #expect(SignedPayload.unverified(forged) == ["iss": "https://a.example"])
        for text in ["", "x", "x.y.z", "..", "e30.W10.e30"] { #expect(SignedPayload.unverified(text) == nil) }
    }
}
