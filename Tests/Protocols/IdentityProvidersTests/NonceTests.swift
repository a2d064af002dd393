import Crypto
import GatehouseWire
import IdentityProviders
import Testing

@Suite("Nonces (pitfall 7, E8)")
struct NonceTests {
    static let raw = "a raw nonce of the app"
    static let hex = SHA256.hash(data: Array(raw.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    static let base64URL = Base64URL.text(Array(SHA256.hash(data: Array(raw.utf8))))

    private func rejection(
        token nonce: String?, request: String?, _ change: (inout ProviderSettings) -> Void = { _ in }
    ) async throws -> IdentityRejection? {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let token = try acme.token(nonce.map { ["nonce": .string($0)] } ?? [:])
        let provider = try acme.acme(change)
        guard case .rejected(let rejection)? = await failure({ try await provider.native(token, nonce: request) })
        else { return nil }
        return rejection
    }

    @Test(
        "Every pair of token and request",
        arguments: [
            (nil, nil, nil), ("", nil, nil), (nil, "", nil), ("", "", nil),
            (nil, raw, IdentityRejection.nonceOnOneSide), (hex, nil, .nonceOnOneSide), (hex, "", .nonceOnOneSide),
            (hex, raw, nil), (raw, raw, nil),
            (base64URL, raw, .nonceMismatch(seen: .base64URLDigest)),
            (hex, "other", .nonceMismatch(seen: .hexDigest)), (raw, "other", .nonceMismatch(seen: .raw)),
            (hex.uppercased(), raw, .nonceMismatch(seen: .hexDigest)), (raw, hex, .nonceMismatch(seen: .raw)),
        ] as [(String?, String?, IdentityRejection?)])
    func table(_ token: String?, _ request: String?, _ expected: IdentityRejection?) async throws {
        #expect(try await rejection(token: token, request: request) == expected)
    }

    @Test("The thief of a token cannot present its digest as the raw nonce")
    func replay() async throws {
        #expect(try await rejection(token: Self.hex, request: Self.hex) == .nonceMismatch(seen: .hexDigest))
        let all: (inout ProviderSettings) -> Void = { $0.nonceForms = Set(NonceForm.allCases) }
        #expect(try await rejection(token: Self.base64URL, request: Self.raw, all) == nil)
        let found = Self.base64URL
        #expect(try await rejection(token: found, request: found, all) == .nonceMismatch(seen: .base64URLDigest))
        // Without accepted digests of this form, it is an ordinary raw nonce.
        #expect(try await rejection(token: found, request: found) == nil)
        #expect(try await rejection(token: Self.hex, request: Self.hex) { $0.nonceForms = [.raw] } == nil)
    }

    @Test("Apple's tokens have a digest, never the raw nonce")
    func apple() async throws {
        let apple = try ScriptedProvider(issuer: "https://appleid.apple.com", key: TestKeys.rsa())
        let provider = try apple.apple()
        for nonce in [Self.hex, Self.base64URL] {
            let token = try apple.token(["nonce": .string(nonce)])
            #expect(try await provider.native(token, nonce: Self.raw).subject == "ada-1")
        }
        let token = try apple.token(["nonce": .string(Self.raw)])
        #expect(
            await failure { try await provider.native(token, nonce: Self.raw) }
                == .rejected(.nonceMismatch(seen: .raw)))
    }

    @Test("The messages are Supabase Auth's: only a mismatch is an invalid nonce")
    func texts() {
        #expect(IdentityRejection.nonceMismatch(seen: .hexDigest).error == "invalid nonce")
        #expect(IdentityRejection.nonceMismatch(seen: .hexDigest).summary.hasPrefix("Nonces mismatch"))
        #expect(IdentityRejection.nonceMismatch(seen: .base64URLDigest).summary.contains("base64url SHA-256"))
        #expect(IdentityRejection.nonceOnOneSide.error == "invalid request")
    }

    @Test("The check can be skipped for apps, and never for our own nonce")
    func skipped() async throws {
        for (token, request) in [(Self.hex, nil), (nil, Self.raw), (Self.hex, "other")] as [(String?, String?)] {
            #expect(try await rejection(token: token, request: request) { $0.skipsNonceCheck = true } == nil)
        }
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme { $0.skipsNonceCheck = true }
        func browser(_ nonce: String?) async throws -> ProviderFailure? {
            let token = try acme.token(nonce.map { ["aud": "web", "nonce": .string($0)] } ?? ["aud": "web"])
            return await failure {
                try await provider.verify(idToken: token, nonce: .sent(Self.raw), client: "web", at: noon)
            }
        }
        #expect(try await browser(Self.raw) == nil)
        #expect(try await browser(nil) == .rejected(.nonceOnOneSide))
        #expect(try await browser("other") == .rejected(.nonceMismatch(seen: .raw)))
        #expect(try await browser(Self.hex) == .rejected(.nonceMismatch(seen: .hexDigest)))
    }
}
