import GatehouseWire
import SoftAuthenticator
import WebAuthn

/// A relying party, and an authenticator that visits it.
struct Ceremonies {
    static let origin = "https://app.example.org"
    static let challenge = Array(UInt8(0)..<32)
    static let handle = Array("11111111-1111-4111-8111-111111111111".utf8)

    var party: RelyingParty
    var authenticator = SoftAuthenticator()

    init(
        origins: [String] = [origin], topOrigins: [String] = [], allowsFrames: Bool = false
    ) throws {
        party = try RelyingParty(
            id: "example.org", name: "Example", origins: origins, topOrigins: topOrigins, allowsFrames: allowsFrames)
    }

    /// RSA keys are slow to generate, so all tests share one.
    static func key(_ algorithm: COSEAlgorithm) throws -> SoftKey {
        try rsa?.with(algorithm) ?? SoftKey(algorithm)
    }

    // Ignored: each test then creates its own key and reports the error.
    private static let rsa = try? SoftKey(.rs256)

    func creationOptions(_ algorithms: [COSEAlgorithm] = COSEAlgorithm.allCases) throws -> AuthJSON {
        let user = CreationOptions.User(handle: Self.handle, name: "ada@example.com", displayName: "Ada")
        let options = CreationOptions(
            relyingParty: party, user: user, challenge: Self.challenge, algorithms: algorithms)
        return try JSONReader.read(options.json)
    }

    func requestOptions(_ allowed: [[UInt8]] = []) throws -> AuthJSON {
        let options = RequestOptions(
            relyingParty: party, challenge: Self.challenge, allowed: allowed.map { CredentialDescriptor(id: $0) })
        return try JSONReader.read(options.json)
    }

    /// A registration from options to record.
    @discardableResult
    mutating func register(
        _ changes: SoftChanges = SoftChanges(), origin: String = origin,
        _ expectation: RegistrationExpectation = RegistrationExpectation(challenge: challenge)
    ) throws -> CredentialRecord {
        let response = try authenticator.create(creationOptions(), origin: origin, changes)
        return try party.verify(RegistrationResponse(response), expectation)
    }

    /// An authentication from options to verdict.
    @discardableResult
    mutating func authenticate(
        _ record: CredentialRecord, _ changes: SoftChanges = SoftChanges(), origin: String = origin,
        _ expectation: AuthenticationExpectation = AuthenticationExpectation(challenge: challenge)
    ) throws -> AuthenticationVerdict {
        let response = try authenticator.get(requestOptions(), origin: origin, changes)
        return try party.verify(AuthenticationResponse(response), expectation, of: record)
    }
}

/// nil if `body` succeeds.
func failedStep(_ body: () throws -> Void) throws -> CeremonyStep? {
    do {
        try body()
        return nil
    } catch let failure as CeremonyFailure {
        return failure.step
    }
}

func changes(_ edit: (inout SoftChanges) -> Void) -> SoftChanges {
    var changes = SoftChanges()
    edit(&changes)
    return changes
}
