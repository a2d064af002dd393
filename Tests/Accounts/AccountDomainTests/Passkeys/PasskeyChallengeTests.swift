import AccountDomain
import GatehouseWire
import Testing

@Suite("Challenges of passkeys")
struct PasskeyChallengeTests {
    private let secrets: ServerSecrets

    init() throws { secrets = try .of(1) }

    private let now = Instant(seconds: 1_767_225_600)
    private let ada = UserID(trusted: "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60")
    private let bob = UserID(trusted: "7c1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60")

    private func made(
        for purpose: PasskeyChallenge.Purpose, _ random: [UInt8] = [1, 2, 3, 4, 5, 6],
        _ secrets: ServerSecrets? = nil
    ) -> PasskeyChallenge {
        PasskeyChallenge(
            for: purpose, lifetime: .seconds(300), secrets ?? self.secrets, random: random, at: now)
    }

    @Test("The server recognizes its challenge without having stored it")
    func recognized() throws {
        for purpose in [
            PasskeyChallenge.Purpose.authentication, .registration(ada), .signUp(name: "ada@example.com"),
        ] {
            let challenge = made(for: purpose)
            let known = try #require(PasskeyChallenge(challenge.id, for: purpose, secrets))
            #expect(known.bytes == challenge.bytes && challenge.bytes.count == 32)
            #expect(known.expiresAt == now + .seconds(300))
            #expect(known.newUser == challenge.newUser)
        }
    }

    @Test("The id is a UUID of version 8, and a UUID of anyone else is not recognized")
    func foreign() {
        let id = made(for: .authentication).id
        #expect(UUIDText.canonical(id.text) == id.text)
        #expect(id.bytes[6] >> 4 == 8 && id.bytes[8] >> 6 == 2)
        for index in 0..<16 {
            var bytes = id.bytes
            bytes[index] ^= 1
            #expect(PasskeyChallenge(PasskeyChallengeID(bytes: bytes), for: .authentication, secrets) == nil)
        }
        let other = PasskeyChallengeID(random: Array(repeating: 9, count: 16))
        #expect(PasskeyChallenge(other, for: .authentication, secrets) == nil)
    }

    @Test("A challenge is good for its purpose, user and name alone")
    func purposes() {
        let purposes: [PasskeyChallenge.Purpose] = [
            .authentication, .registration(ada), .registration(bob), .signUp(name: ""), .signUp(name: "a"),
        ]
        for (index, purpose) in purposes.enumerated() {
            for (other, wanted) in purposes.enumerated() {
                let known = PasskeyChallenge(made(for: purpose).id, for: wanted, secrets)
                #expect((known != nil) == (index == other))
            }
        }
        #expect(made(for: .registration(ada)).bytes != made(for: .registration(bob)).bytes)
    }

    @Test("Other random bits make another challenge, and another account")
    func fresh() {
        let (one, other) = (made(for: .signUp(name: "a")), made(for: .signUp(name: "a"), [1, 2, 3, 4, 5, 7]))
        #expect(one.id != other.id && one.bytes != other.bytes && one.newUser != other.newUser)
        #expect(one.newUser.text != one.id.text)
    }

    @Test("A challenge survives the rotation of the server's secrets, as long as the old one is configured")
    func rotation() throws {
        let (old, both, newer) = (try ServerSecrets.of(1), try ServerSecrets.of(2, 1), try ServerSecrets.of(2))
        let challenge = made(for: .authentication, [1, 2, 3, 4, 5, 6], old)
        #expect(PasskeyChallenge(challenge.id, for: .authentication, both)?.bytes == challenge.bytes)
        #expect(made(for: .authentication, [1, 2, 3, 4, 5, 6], both).bytes != challenge.bytes)
        #expect(PasskeyChallenge(challenge.id, for: .authentication, newer) == nil)
    }
}

@Suite("Names of passkeys")
struct AuthenticatorModelTests {
    @Test("A passkey has the name of its authenticator, if the list has it")
    func names() {
        let names = [
            ("fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "Apple Passwords"),
            ("EA9B8D66-4D01-1D21-3CE4-B6B48CB575D4", "Google Password Manager"),
            ("12345678-1234-1234-1234-123456789012", "Passkey"), ("00000000-0000-0000-0000-000000000000", "Passkey"),
        ]
        for (id, name) in names {
            #expect(AuthenticatorModels.passkeyName(Identifier<Passkey>(trusted: id).bytes) == name)
        }
    }
}
