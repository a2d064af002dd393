import DevStack
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import Testing

@Suite("The stand-ins' keys and documents")
struct StandInKeysTests {
    @Test("Keys are RS256, as with both companies, and discovery says so")
    func algorithm() async throws {
        let router = try DevRouter(makeKey: { try JSONWebKey.newRS256() })
        for (path, keys) in [("/dev/apple", DevRouter.appleKeys), ("/dev/google", DevRouter.googleKeys)] {
            let document = try await router.get(path + "/.well-known/openid-configuration")
            #expect(document.json["id_token_signing_alg_values_supported"] == ["RS256"])
            #expect(try await router.keys(keys).keys.map(\.algorithm) == [.rs256])
            let published = try await router.get(keys)
            #expect(!published.text.contains(#""d""#), "no private part")
        }
        let token = try await router.appleCredential()["identityToken"] ?? ""
        let verified = try await router.keys(DevRouter.appleKeys).verify(token, at: router.now)
        #expect(verified.algorithm == .rs256)
    }

    @Test("Keys overlap: old tokens verify after one rotation and after two, but not after three (D4)")
    func rotation() async throws {
        let router = try DevRouter()
        let token = try await router.appleCredential()["identityToken"] ?? ""
        let first = try await router.keys(DevRouter.appleKeys).keys.map(\.id)
        for rotation in 1...3 {
            let answer = try await router.post("/dev/apple/rotate-keys", json: [:])
            #expect(answer.status == 200)
            let keys = try await router.keys(DevRouter.appleKeys)
            #expect(keys.keys.count == min(rotation + 1, 3))
            #expect(answer.json["keys"]?.arrayValue?.first?.stringValue == keys.keys[0].id)
            #expect(keys.keys.contains { $0.id == first[0] } == (rotation < 3))
            let fresh = try await router.appleCredential()["identityToken"] ?? ""
            #expect(try keys.verify(fresh, at: router.now).keyID == keys.keys[0].id, "the newest signs")
            if rotation < 3 {
                _ = try keys.verify(token, at: router.now)
            } else {
                #expect(throws: TokenRejection.unknownKey(first[0].map { PresentedKeyID($0) })) {
                    try keys.verify(token, at: router.now)
                }
            }
        }
    }

    @Test("A failed key generation keeps the old keys")
    func failingRotation() async throws {
        let made = Kept<Int>()
        let router = try DevRouter(makeKey: {
            made.keep(1)
            guard made.all.count <= 1 else { throw KeyProblem.unreadable }
            return JSONWebKey.newES256()
        })
        let before = try await router.keys(DevRouter.googleKeys).keys.map(\.id)
        #expect(try await router.post("/dev/google/rotate-keys", json: [:]).status == 500)
        #expect(try await router.keys(DevRouter.googleKeys).keys.map(\.id) == before)
    }

    @Test("The two companies have different keys")
    func apart() async throws {
        let router = try DevRouter()
        let token = try await router.appleCredential()["identityToken"] ?? ""
        let google = try await router.keys(DevRouter.googleKeys)
        #expect(throws: TokenRejection.self) { try google.verify(token, at: router.now) }
    }

    @Test("Every address in the discovery documents is served, and the issuer matches")
    func discovery() async throws {
        let router = try DevRouter { $0.appleIssuer = "https://appleid.apple.com" }
        for (path, issuer) in [
            ("/dev/apple", "https://appleid.apple.com"), ("/dev/google", DevRouter.external + "/dev/google"),
        ] {
            let document = try await router.get(path + "/.well-known/openid-configuration").json
            #expect(document["issuer"]?.stringValue == issuer)
            let addresses = (document.objectValue ?? [:]).filter {
                $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri"
            }
            #expect(addresses.count == (path == "/dev/apple" ? 4 : 5))
            for (name, address) in addresses {
                let path = address.stringValue?.replacing(DevRouter.external, with: "") ?? ""
                #expect(try await router.get(path).status != 404, "\(name)")
            }
        }
        let token = try await router.appleCredential()["identityToken"]
        #expect(try await router.claims(of: token, DevRouter.appleKeys)["iss"] == "https://appleid.apple.com")
    }
}
