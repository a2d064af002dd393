package import GatehouseWire

/// `PublicKeyCredentialRequestOptionsJSON` (§5.1.10).
package struct RequestOptions: Sendable {
    package let relyingParty: RelyingParty
    /// At least 16 random bytes; the server uses 32.
    package let challenge: [UInt8]
    /// In milliseconds.
    package let timeout: Int64
    /// Empty omits the member: the user chooses a discoverable credential.
    package let allowed: [CredentialDescriptor]
    /// nil omits the member, which means "preferred".
    package let userVerification: UserVerificationPolicy?

    package init(
        relyingParty: RelyingParty, challenge: [UInt8], timeout: Int64 = 300_000,
        allowed: [CredentialDescriptor] = [], userVerification: UserVerificationPolicy? = .preferred
    ) {
        (self.relyingParty, self.challenge, self.timeout) = (relyingParty, challenge, timeout)
        (self.allowed, self.userVerification) = (allowed, userVerification)
    }

    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("challenge", Base64URL.text(challenge))
        writer.member("timeout", timeout)
        writer.member("rpId", relyingParty.id)
        if !allowed.isEmpty {
            writer.list("allowCredentials", allowed) { writer, descriptor in descriptor.write(to: &writer) }
        }
        if let userVerification { writer.member("userVerification", userVerification.rawValue) }
        writer.endObject()
    }
}
