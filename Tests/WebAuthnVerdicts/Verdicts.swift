import GatehouseWire
import WebAuthn

/// Verifies ceremonies for Tests/External/test_webauthn_verdicts.py, which compares the verdicts with other libraries'.
/// Each line of standard input and output is a JSON object.
@main
struct Verdicts {
    static func main() throws {
        let party = try RelyingParty(id: "example.org", name: "Example", origins: ["https://app.example.org"])
        while let line = readLine() {
            var writer = JSONWriter()
            writer.beginObject()
            do {
                try Ceremony(line).verify(party, &writer)
                writer.member("accepted", true)
            } catch let failure as CeremonyFailure {
                writer.member("accepted", false)
                writer.member("step", "\(failure.step)")
                writer.member("cause", failure.cause)
            }
            writer.endObject()
            print(writer.text)
        }
    }
}

/// A line of the input.
private struct Ceremony {
    private let members: AuthJSONObject

    init(_ line: String) throws { members = try JSONReader.read(line).objectValue ?? [:] }

    /// - Throws: `CeremonyFailure` for a refusal.
    func verify(_ party: RelyingParty, _ writer: inout JSONWriter) throws {
        let (challenge, credential) = (bytes("challenge"), members["credential"] ?? .null)
        let verification: UserVerificationPolicy =
            members["requiresVerification"]?.boolValue == true ? .required : .preferred
        guard let record = members["record"]?.objectValue else {
            let expectation = RegistrationExpectation(challenge: challenge, userVerification: verification)
            let record = try party.verify(RegistrationResponse(credential), expectation)
            writer.member("id", Base64URL.text(record.id))
            writer.member("publicKey", Base64URL.text(record.publicKey))
            writer.member("signCount", Int64(record.signCount))
            return
        }
        let expectation = AuthenticationExpectation(challenge: challenge, userVerification: verification)
        let verdict = try party.verify(
            AuthenticationResponse(credential), expectation, of: Ceremony(members: record).record())
        writer.member("isCloned", verdict.isCloned)
        writer.member("signCount", Int64(verdict.signCount))
    }

    private init(members: AuthJSONObject) { self.members = members }

    private func bytes(_ name: String) -> [UInt8] { members[name]?.stringValue.flatMap { Base64URL.decode($0) } ?? [] }

    private func record() -> CredentialRecord {
        CredentialRecord(
            id: bytes("id"), publicKey: bytes("publicKey"),
            algorithm: members["algorithm"]?.intValue.flatMap { COSEAlgorithm(rawValue: $0) } ?? .es256,
            aaguid: [UInt8](repeating: 0, count: 16),
            signCount: UInt32(truncatingIfNeeded: members["signCount"]?.intValue ?? 0),
            isBackupEligible: members["isBackupEligible"]?.boolValue == true, isBackedUp: false)
    }
}
