package import GatehouseWire

/// `PublicKeyCredentialCreationOptionsJSON` (§5.1.9).
package struct CreationOptions: Sendable {
    package struct User: Sendable {
        /// 1 to 64 bytes without personal data.
        package let handle: [UInt8]
        package let name: String
        package let displayName: String

        package init(handle: [UInt8], name: String, displayName: String) {
            (self.handle, self.name, self.displayName) = (handle, name, displayName)
        }
    }

    package enum Selection: Sendable {
        /// A discoverable credential.
        case passkey(UserVerificationPolicy)
        /// An empty object.
        case anyAuthenticator
    }

    package let relyingParty: RelyingParty
    package let user: User
    /// At least 16 random bytes; the server uses 32.
    package let challenge: [UInt8]
    package let algorithms: [COSEAlgorithm]
    /// In milliseconds.
    package let timeout: Int64
    package let excluded: [CredentialDescriptor]
    package let selection: Selection
    /// Writes `attestation: "none"`, the browsers' default.
    package let namesAttestation: Bool

    package init(
        relyingParty: RelyingParty, user: User, challenge: [UInt8],
        algorithms: [COSEAlgorithm] = COSEAlgorithm.allCases, timeout: Int64 = 300_000,
        excluded: [CredentialDescriptor] = [], selection: Selection = .passkey(.preferred),
        namesAttestation: Bool = true
    ) {
        (self.relyingParty, self.user, self.challenge) = (relyingParty, user, challenge)
        (self.algorithms, self.timeout, self.excluded) = (algorithms, timeout, excluded)
        (self.selection, self.namesAttestation) = (selection, namesAttestation)
    }

    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeEntities(to: &writer)
        writer.member("challenge", Base64URL.text(challenge))
        writer.list("pubKeyCredParams", algorithms) { writer, algorithm in
            writer.beginObject()
            writer.member("type", "public-key")
            writer.member("alg", algorithm.rawValue)
            writer.endObject()
        }
        writer.member("timeout", timeout)
        if !excluded.isEmpty {
            writer.list("excludeCredentials", excluded) { writer, descriptor in descriptor.write(to: &writer) }
        }
        writer.name("authenticatorSelection")
        writer.beginObject()
        if case .passkey(let verification) = selection {
            writer.member("residentKey", "required")
            writer.member("userVerification", verification.rawValue)
        }
        writer.endObject()
        if namesAttestation { writer.member("attestation", "none") }
        writer.endObject()
    }

    private func writeEntities(to writer: inout JSONWriter) {
        writer.name("rp")
        writer.beginObject()
        writer.member("name", relyingParty.name)
        writer.member("id", relyingParty.id)
        writer.endObject()
        writer.name("user")
        writer.beginObject()
        writer.member("name", user.name)
        writer.member("displayName", user.displayName)
        writer.member("id", Base64URL.text(user.handle))
        writer.endObject()
    }
}
