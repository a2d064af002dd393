import GatehouseWire
import SoftAuthenticator
import Testing
import WebAuthn

@Suite("Authentication (§7.2)")
struct AuthenticationTests {
    @Test("A registered key authenticates with every algorithm", arguments: COSEAlgorithm.allCases)
    func roundTrip(_ algorithm: COSEAlgorithm) throws {
        var ceremonies = try Ceremonies()
        ceremonies.authenticator.nextKey = try Ceremonies.key(algorithm)
        ceremonies.authenticator.attestation = .packedSelf
        let record = try ceremonies.register()
        #expect(record.algorithm == algorithm)
        let verdict = try ceremonies.authenticate(record)
        #expect(!verdict.isCloned && verdict.isUserVerified && !verdict.isBackedUp)
        let wrong = changes { $0.hasWrongSignature = true }
        #expect(try failedStep { try ceremonies.authenticate(record, wrong) } == .signature)
    }

    @Test("Each step refuses what it is for", arguments: authenticationRefusals)
    func refusals(_ refusal: AuthenticationRefusal) throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register()
        let step = try failedStep {
            try ceremonies.authenticate(record, refusal.changes, origin: refusal.origin, refusal.expectation)
        }
        #expect(step == refusal.step)
    }

    @Test("A user handle may be absent when the user is known")
    func noHandle() throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register()
        let expectation = AuthenticationExpectation(
            challenge: Ceremonies.challenge, allowedCredentials: [record.id], userHandle: Ceremonies.handle)
        let silent = changes { $0.userHandle = [] }
        #expect(try failedStep { try ceremonies.authenticate(record, silent, expectation) } == nil)
    }

    @Test(
        "A count that does not increase shows a clone, unless both are zero",
        arguments: [
            (0, 0, false), (0, 1, false), (1, 0, true), (5, 5, true), (5, 4, true), (5, 6, false),
            (UInt32.max, 0, true), (UInt32.max - 1, UInt32.max, false),
        ] as [(UInt32, UInt32, Bool)])
    func counts(stored: UInt32, presented: UInt32, isCloned: Bool) throws {
        var ceremonies = try Ceremonies()
        var record = try ceremonies.register()
        record.signCount = stored
        let verdict = try ceremonies.authenticate(record, changes { $0.signCount = presented })
        #expect(verdict.isCloned == isCloned)
        #expect(verdict.signCount == presented)
    }

    @Test("A changed backup eligibility is accepted and returned", arguments: [true, false])
    func eligibility(_ isEligible: Bool) throws {
        var ceremonies = try Ceremonies()
        ceremonies.authenticator.flags = isEligible ? [.userPresent] : [.userPresent, .backupEligible]
        let record = try ceremonies.register()
        #expect(record.isBackupEligible != isEligible)
        let changed = changes { $0.flags = isEligible ? [.userPresent, .backupEligible] : [.userPresent] }
        #expect(try ceremonies.authenticate(record, changed).isBackupEligible == isEligible)
    }

    @Test("The backup state may change, and a key of another credential does not verify")
    func backup() throws {
        var ceremonies = try Ceremonies()
        ceremonies.authenticator.flags = [.userPresent, .backupEligible]
        let record = try ceremonies.register()
        #expect(!record.isBackedUp)
        let backed = changes { $0.flags = [.userPresent, .backupEligible, .backedUp] }
        #expect(try ceremonies.authenticate(record, backed).isBackedUp)
        let other = try SoftKey(.es256).publicKey()
        let stolen = CredentialRecord(
            id: record.id, publicKey: other, algorithm: .es256, aaguid: record.aaguid, signCount: 0,
            isBackupEligible: true, isBackedUp: false)
        #expect(try failedStep { try ceremonies.authenticate(stolen) } == .signature)
    }
}

/// Differs in one point.
struct AuthenticationRefusal: CustomTestStringConvertible {
    let step: CeremonyStep
    var changes = SoftChanges()
    var origin = Ceremonies.origin
    var expectation = AuthenticationExpectation(challenge: Ceremonies.challenge)

    var testDescription: String { "\(step)" }
}

private let authenticationRefusals: [AuthenticationRefusal] = [
    AuthenticationRefusal(step: .form, changes: changes { $0.clientData = Array("{}".utf8) }),
    AuthenticationRefusal(step: .allowedCredential, changes: changes { $0.reportedID = [1, 2, 3] }),
    AuthenticationRefusal(
        step: .allowedCredential,
        expectation: AuthenticationExpectation(challenge: Ceremonies.challenge, allowedCredentials: [[1]])),
    AuthenticationRefusal(
        step: .userHandle,
        expectation: AuthenticationExpectation(challenge: Ceremonies.challenge, userHandle: [1])),
    AuthenticationRefusal(
        step: .userHandle, changes: changes { $0.userHandle = [] },
        expectation: AuthenticationExpectation(challenge: Ceremonies.challenge, requiresUserHandle: true)),
    AuthenticationRefusal(step: .clientDataType, changes: changes { $0.type = "webauthn.create" }),
    AuthenticationRefusal(step: .challenge, changes: changes { $0.challenge = [1] }),
    AuthenticationRefusal(step: .origin, origin: "https://example.org.evil.example"),
    AuthenticationRefusal(step: .crossOrigin, changes: changes { $0.crossOrigin = true }),
    AuthenticationRefusal(step: .topOrigin, changes: changes { $0.topOrigin = "https://example.com" }),
    AuthenticationRefusal(step: .relyingPartyID, changes: changes { $0.relyingPartyID = "example.com" }),
    AuthenticationRefusal(step: .userPresence, changes: changes { $0.flags = [] }),
    AuthenticationRefusal(
        step: .userVerification, changes: changes { $0.flags = [.userPresent] },
        expectation: AuthenticationExpectation(challenge: Ceremonies.challenge, userVerification: .required)),
    AuthenticationRefusal(step: .backupState, changes: changes { $0.flags = [.userPresent, .backedUp] }),
    AuthenticationRefusal(step: .signature, changes: changes { $0.hasWrongSignature = true }),
]
