import GatehouseWire
import SoftAuthenticator
import Testing
import WebAuthn

@Suite("Registration (§7.1)")
struct RegistrationTests {
    @Test("A new passkey becomes a record with everything that the server stores")
    func record() throws {
        var ceremonies = try Ceremonies()
        ceremonies.authenticator.aaguid = Array(1...16)
        ceremonies.authenticator.flags = [.userPresent, .userVerified, .backupEligible, .backedUp]
        ceremonies.authenticator.transports = ["internal", "hybrid"]
        let record = try ceremonies.register()
        let credential = try #require(ceremonies.authenticator.credentials.first)
        #expect(record.id == credential.id)
        #expect(record.publicKey == (try credential.key.publicKey()))
        #expect(record.algorithm == .es256)
        #expect(record.aaguid == Array(1...16))
        #expect(record.signCount == 0)
        #expect(record.isBackupEligible && record.isBackedUp && record.isUserVerified)
        #expect(record.transports.elementsEqual(["internal", "hybrid"], by: ==))
        #expect(record.attestation == .none)
    }

    @Test("A self attestation is verified")
    func selfAttestation() throws {
        var ceremonies = try Ceremonies()
        ceremonies.authenticator.attestation = .packedSelf
        #expect(try ceremonies.register().attestation == .packed)
    }

    @Test("Each step refuses what it is for", arguments: registrationRefusals)
    func refusals(_ refusal: RegistrationRefusal) throws {
        var ceremonies = try Ceremonies()
        if refusal.isSelfAttested { ceremonies.authenticator.attestation = .packedSelf }
        let step = try failedStep {
            try ceremonies.register(refusal.changes, origin: refusal.origin, refusal.expectation)
        }
        #expect(step == refusal.step)
    }

    @Test("A conditional creation needs no gesture")
    func conditional() throws {
        var ceremonies = try Ceremonies()
        let expectation = RegistrationExpectation(challenge: Ceremonies.challenge, isConditional: true)
        let record = try ceremonies.register(changes { $0.flags = [] }, expectation)
        #expect(!record.isUserVerified)
    }

    @Test("A frame of another site is allowed where it is listed, or where frames are not checked")
    func frames() throws {
        let framed = changes {
            $0.crossOrigin = true
            $0.topOrigin = "https://shop.example"
        }
        var listed = try Ceremonies(topOrigins: ["https://shop.example"])
        #expect(try failedStep { try listed.register(framed) } == nil)
        var other = try Ceremonies(topOrigins: ["https://other.example"])
        #expect(try failedStep { try other.register(framed) } == .topOrigin)
        var lenient = try Ceremonies(allowsFrames: true)
        #expect(try failedStep { try lenient.register(framed) } == nil)
    }

    @Test("Android and Apple apps register with their origins")
    func apps() throws {
        let android = "android:apk-key-hash:" + Base64URL.text([UInt8](repeating: 3, count: 32))
        let origins = ["https://example.org", android, "ios:bundle-id:com.example.app"]
        for origin in origins {
            var ceremonies = try Ceremonies(origins: origins)
            #expect(try failedStep { try ceremonies.register(origin: origin) } == nil, "\(origin)")
        }
        var ceremonies = try Ceremonies(origins: origins)
        let step = try failedStep { try ceremonies.register(origin: android.uppercased()) }
        #expect(step == .origin)
    }
}

/// Differs in one point.
struct RegistrationRefusal: CustomTestStringConvertible {
    let step: CeremonyStep
    var changes = SoftChanges()
    var origin = Ceremonies.origin
    var expectation = RegistrationExpectation(challenge: Ceremonies.challenge)
    var isSelfAttested = false

    var testDescription: String { "\(step)" }
}

private let registrationRefusals: [RegistrationRefusal] = [
    RegistrationRefusal(step: .form, changes: changes { $0.clientData = Array("[]".utf8) }),
    RegistrationRefusal(step: .clientDataType, changes: changes { $0.type = "webauthn.get" }),
    RegistrationRefusal(step: .clientDataType, changes: changes { $0.type = "payment.get" }),
    RegistrationRefusal(step: .challenge, changes: changes { $0.challenge = Array(1..<33) }),
    RegistrationRefusal(step: .challenge, changes: changes { $0.challenge = [] }),
    RegistrationRefusal(step: .origin, origin: "https://evil.example"),
    RegistrationRefusal(step: .origin, origin: "https://app.example.org:8443"),
    RegistrationRefusal(step: .origin, origin: "http://app.example.org"),
    RegistrationRefusal(step: .origin, origin: "https://app.example.org/"),
    RegistrationRefusal(step: .crossOrigin, changes: changes { $0.crossOrigin = true }),
    RegistrationRefusal(step: .topOrigin, changes: changes { $0.topOrigin = "https://example.com" }),
    RegistrationRefusal(step: .relyingPartyID, changes: changes { $0.relyingPartyID = "app.example.org" }),
    RegistrationRefusal(step: .userPresence, changes: changes { $0.flags = [.userVerified] }),
    RegistrationRefusal(
        step: .userVerification, changes: changes { $0.flags = [.userPresent] },
        expectation: RegistrationExpectation(challenge: Ceremonies.challenge, userVerification: .required)),
    RegistrationRefusal(step: .backupState, changes: changes { $0.flags = [.userPresent, .backedUp] }),
    RegistrationRefusal(
        step: .backupEligibility, changes: changes { $0.flags = [.userPresent, .backupEligible] },
        expectation: RegistrationExpectation(challenge: Ceremonies.challenge, backup: .singleDeviceOnly)),
    RegistrationRefusal(
        step: .algorithm,
        expectation: RegistrationExpectation(challenge: Ceremonies.challenge, algorithms: [.edDSA])),
    RegistrationRefusal(step: .algorithm, changes: changes { $0.publicKey = CBORWriter.map([]) }),
    RegistrationRefusal(step: .attestationFormat, changes: changes { $0.statement = ("other", CBORWriter.map([])) }),
    RegistrationRefusal(
        step: .attestationStatement, changes: changes { $0.hasWrongSignature = true }, isSelfAttested: true),
    RegistrationRefusal(
        step: .attestationStatement,
        changes: changes { $0.statement = ("none", CBORWriter.map([(CBORWriter.text("a"), CBORWriter.integer(1))])) }),
    RegistrationRefusal(
        step: .credentialIDLength,
        changes: changes {
            $0.credentialID = [UInt8](repeating: 7, count: 1_024)
            $0.reportedID = [7]
        }),
]
