import GatehouseWire
import JSONWebTokens
import Testing

@Suite("Claims")
struct TokenClaimsTests {
    private func verified(_ claims: AuthJSON, at now: Instant = noon, leeway: Duration = .zero) throws -> TokenClaims {
        let keys = try KeySet([], keyForTokensWithoutID: TestKeys.key(.hs256))
        return try keys.verify(token(["alg": "HS256"], claims, by: .hs256), at: now, leeway: leeway).claims
    }

    @Test("Every known claim is read with its type, and the others are kept")
    func reading() throws {
        let read = try verified(
            claims([
                "nbf": .double(Double(noon.seconds) - 0.5), "email": "ada@example.org",
                "app_metadata": ["provider": "email"],
            ]))
        #expect(read.subject == "ada")
        #expect(read.issuer == "https://auth.example.org")
        #expect(read.audience == ["authenticated"])
        #expect(read.expiresAt == noon + .seconds(3_600))
        #expect(read.notBefore == noon - .milliseconds(500))
        #expect(read.issuedAt == noon)
        #expect(read.role == "authenticated")
        #expect(read.sessionID == "one")
        #expect(read.email == "ada@example.org")
        #expect(read.members["app_metadata"]?["provider"] == "email")
        #expect(read.members["exp"] == .integer(noon.seconds + 3_600))
    }

    @Test("The newest time of a proof in amr is the last proof's; other methods and times out of range are none")
    func proofs() throws {
        let entries: [(AuthJSON, Instant?)] = [
            ([["method": "totp", "timestamp": 200], ["method": "otp", "timestamp": 100]], Instant(seconds: 200)),
            ([["method": "password", "timestamp": 100], ["timestamp": .integer(.max)]], Instant(seconds: 100)),
            (
                [["method": "otp", "timestamp": .integer(.min)], ["method": "otp", "timestamp": .double(1e300)]], nil
            ),
            ([["method": "otp", "timestamp": "100"], ["timestamp": 100], ["method": 1, "timestamp": 100]], nil),
            (
                [
                    ["method": "token_refresh", "timestamp": 300], ["method": "anonymous", "timestamp": 200],
                    ["method": "passkey", "timestamp": 100],
                ], Instant(seconds: 100)
            ),
            (["pwd", 7, .null], nil), ("pwd", nil), (.null, nil),
        ]
        for (methods, time) in entries {
            #expect(try verified(claims(["amr": methods])).provenAt == time)
        }
    }

    @Test("Only exp is required, and a null counts as absent")
    func absent() throws {
        let exp = AuthJSON.integer(noon.seconds + 1)
        let nulls: AuthJSONObject = ["exp": exp, "sub": .null, "aud": .null, "nbf": .null]
        for claims in [["exp": exp], nulls] {
            let read = try verified(.object(claims))
            #expect(read.subject == nil)
            #expect(read.audience == [])
        }
        #expect(throws: TokenRejection.missingClaim("exp")) { try verified(claims().without("exp")) }
        #expect(throws: TokenRejection.missingClaim("exp")) { try verified(claims(["exp": .null])) }
        #expect(throws: TokenRejection.missingClaim("exp")) { try verified([:] as AuthJSON) }
    }

    @Test("An accepted key, signed with the shared secret and without sub, needs no exp")
    func keysWithoutEnd() throws {
        let keys = try KeySet(TestKeys.all())
        let key = claims().without("exp").without("sub")
        for algorithm in SigningAlgorithm.allCases {
            let signer = try TokenSigner(TestKeys.key(algorithm))
            for (payload, isKey) in [(key, true), (key.with(["sub": ""]), true), (key.with(["sub": "ada"]), false)] {
                let token = try signer.sign(payload: Array(payload.text.utf8))
                #expect(throws: TokenRejection.missingClaim("exp")) { try keys.verify(token, at: noon) }
                if isKey, algorithm == .hs256 {
                    #expect(try keys.verify(token, at: noon, acceptsKeys: true).claims.role == "authenticated")
                } else {
                    #expect(throws: TokenRejection.missingClaim("exp")) {
                        try keys.verify(token, at: noon, acceptsKeys: true)
                    }
                }
            }
        }
    }

    static let wrong: [(name: String, value: AuthJSON)] = [
        ("exp", "1772370000"), ("exp", true), ("exp", [1_772_370_000]), ("exp", .integer(.max)),
        ("exp", .integer(.min)), ("exp", .double(1e300)), ("exp", .double(-1e300)), ("exp", .integer(253_402_300_800)),
        ("nbf", "0"), ("nbf", .double(1e19)), ("iat", "now"), ("iat", .integer(.max)),
        ("sub", 1), ("sub", ["ada"]), ("iss", 1), ("aud", 1), ("aud", ["a", 1]), ("aud", ["a": "b"]),
        ("role", ["service_role"]), ("session_id", 1), ("email", true),
    ]

    @Test("A claim of another type is refused", arguments: 0..<Self.wrong.count)
    func types(_ index: Int) {
        let (name, value) = Self.wrong[index]
        #expect(throws: TokenRejection.malformedClaim(name)) { try verified(claims([name: value])) }
    }

    @Test("Signed text that is not one JSON object is refused", arguments: ["", "null", "[]", "{", "exp", "{} {}"])
    func payloads(_ payload: String) throws {
        let keys = try KeySet([], keyForTokensWithoutID: TestKeys.key(.hs256))
        let forged = try token(header: #"{"alg":"HS256"}"#, payload: payload, by: .hs256)
        #expect(throws: TokenRejection.malformed(.payload)) { try keys.verify(forged, at: noon) }
    }

    @Test("The signature is checked before the claims")
    func order() throws {
        let keys = try KeySet([], keyForTokensWithoutID: TestKeys.key(.hs256))
        let forger = Forger.hmac([UInt8](repeating: 7, count: 32))
        let forged = try token(header: #"{"alg":"HS256"}"#, payload: "nonsense", by: forger)
        #expect(throws: TokenRejection.badSignature) { try keys.verify(forged, at: noon) }
    }

    @Test("A token is valid until exp, exclusive; the leeway moves both ends")
    func times() throws {
        let end = noon + .seconds(3_600)
        let microsecond = Duration.microseconds(1)
        #expect(try verified(claims(), at: end - microsecond).expiresAt == end)
        #expect(throws: TokenRejection.expired(end)) { try verified(claims(), at: end) }
        let leeway = Duration.seconds(30)
        #expect(try verified(claims(), at: end + leeway - microsecond, leeway: leeway).expiresAt == end)
        #expect(throws: TokenRejection.expired(end)) { try verified(claims(), at: end + leeway, leeway: leeway) }
        let later = claims(["nbf": .integer(noon.seconds)])
        #expect(try verified(later, at: noon).notBefore == noon)
        #expect(throws: TokenRejection.notYetValid(noon)) { try verified(later, at: noon - microsecond) }
        #expect(try verified(later, at: noon - leeway, leeway: leeway).notBefore == noon)
        let negative = claims(["exp": -1])
        #expect(throws: TokenRejection.expired(Instant(seconds: -1))) { try verified(negative) }
    }

    @Test("A fraction of a second counts")
    func fractions() throws {
        let half = claims(["exp": .double(Double(noon.seconds) + 0.5)])
        #expect(try verified(half, at: noon + .milliseconds(499)).subject == "ada")
        #expect(throws: TokenRejection.expired(noon + .milliseconds(500))) {
            try verified(half, at: noon + .milliseconds(500))
        }
    }

    @Test("Issuer and audience are compared with the expected ones, and absence is a mismatch")
    func check() throws {
        let usual = try verified(claims(["aud": ["one", "two"]]))
        try usual.check(issuer: "https://auth.example.org", audience: "two")
        try usual.check(issuers: ["x", "https://auth.example.org"], audiences: ["y", "one"])
        #expect(throws: TokenRejection.wrongIssuer) {
            try usual.check(issuer: "https://auth.example.org/", audience: "two")
        }
        #expect(throws: TokenRejection.wrongAudience) {
            try usual.check(issuer: "https://auth.example.org", audience: "three")
        }
        #expect(throws: TokenRejection.wrongAudience) {
            try verified(claims().without("aud")).check(issuer: "https://auth.example.org", audience: "")
        }
        #expect(throws: TokenRejection.wrongIssuer) {
            try verified(claims().without("iss")).check(issuer: "", audience: "authenticated")
        }
    }

    @Test("Our tokens have a fixed header, in the order alg, kid, typ", arguments: SigningAlgorithm.allCases)
    func signing(_ algorithm: SigningAlgorithm) throws {
        let signer = try TokenSigner(TestKeys.key(algorithm))
        let token = try signer.sign(payload: Array(claims().text.utf8))
        let name = algorithm.rawValue
        #expect(token.parts[0] == #"{"alg":"\#(name)","kid":"\#(name)","typ":"JWT"}"#.encoded)
        #expect(token.parts[1] == claims().text.encoded)
        let verified = try KeySet(TestKeys.all()).verify(token, at: noon)
        #expect(verified.algorithm == algorithm)
        #expect(verified.keyID == name)
        let nameless = try TokenSigner(JSONWebKey(Specified.hs256)).sign(payload: [])
        #expect(nameless == #"{"alg":"HS256","typ":"JWT"}"#.encoded + ".." + (nameless.parts.last ?? ""))
    }
}
