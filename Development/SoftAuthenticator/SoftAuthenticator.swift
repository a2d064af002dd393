import Crypto
package import GatehouseWire
package import WebAuthn

package enum SoftAuthenticatorProblem: Error, Equatable, Sendable {
    case malformedOptions(String)
    case noAlgorithm
    /// `excludeCredentials` names a key of this authenticator.
    case alreadyRegistered
    case noCredential
}

/// Browser and authenticator in one, with keys in memory, for tests and development.
package struct SoftAuthenticator: Sendable {
    package enum Attestation: Sendable {
        case none
        /// `packed`, signed by the credential's own key.
        case packedSelf
    }

    package struct Credential: Sendable {
        package let id: [UInt8]
        package let relyingPartyID: String
        package let userHandle: [UInt8]
        package let userName: String
        package let key: SoftKey
        package fileprivate(set) var signCount: UInt32
    }

    /// 16 bytes.
    package var aaguid = [UInt8](repeating: 0, count: 16)
    /// Of each response; attested data adds its own.
    package var flags: AuthenticatorData.Flags = [.userPresent, .userVerified]
    package var attestation = Attestation.none
    package var transports = ["internal"]
    /// Counts authentications, unlike Apple's and Google's passkeys.
    package var counts = false
    /// For the next registrations: generating RSA keys is slow.
    package var nextKey: SoftKey?
    package private(set) var credentials: [Credential] = []

    package init() {}

    /// Like `navigator.credentials.create`.
    ///
    /// - Parameters:
    ///   - options: `PublicKeyCredentialCreationOptionsJSON`. Uses the first algorithm, or ``nextKey``'s.
    ///   - origin: The page's or app's.
    /// - Returns: `RegistrationResponseJSON`.
    /// - Throws: ``SoftAuthenticatorProblem``, or the crypto library's error.
    package mutating func create(
        _ options: AuthJSON, origin: String, _ changes: SoftChanges = SoftChanges()
    ) throws -> AuthJSON {
        let request = try SoftRequest(creation: options)
        guard !credentials.contains(where: { request.descriptors.contains($0.id) }) else {
            throw SoftAuthenticatorProblem.alreadyRegistered
        }
        let key: SoftKey
        if let nextKey { key = nextKey } else { key = try SoftKey(request.algorithm) }
        let publicKey = try changes.publicKey ?? key.publicKey()
        let credential = Credential(
            id: changes.credentialID ?? Array(SHA256.hash(data: publicKey + request.challenge)),
            relyingPartyID: request.relyingPartyID, userHandle: request.userHandle, userName: request.userName,
            key: key, signCount: changes.signCount ?? 0)
        let attested =
            aaguid + CBORWriter.bigEndian(UInt64(credential.id.count), count: 2) + credential.id + publicKey
        let data = authenticatorData(credential, changes, attested: attested)
        let clientData = Self.clientData("webauthn.create", request.challenge, origin, changes)
        let statement = try statement(credential, data + SHA256.hash(data: clientData), changes)
        let object = CBORWriter.map([
            (CBORWriter.text("fmt"), CBORWriter.text(statement.format)),
            (CBORWriter.text("attStmt"), statement.encoded),
            (CBORWriter.text("authData"), CBORWriter.bytes(data)),
        ])
        credentials.append(credential)
        return Self.json(
            changes.reportedID ?? credential.id,
            [
                "clientDataJSON": .string(Base64URL.text(clientData)),
                "attestationObject": .string(Base64URL.text(object)),
                "transports": .array(transports.map { .string($0) }),
            ])
    }

    /// Like `navigator.credentials.get`.
    ///
    /// - Parameters:
    ///   - options: `PublicKeyCredentialRequestOptionsJSON`.
    ///   - id: The user's choice; nil takes the newest match.
    /// - Returns: `AuthenticationResponseJSON`.
    /// - Throws: ``SoftAuthenticatorProblem``, or the crypto library's error.
    package mutating func get(
        _ options: AuthJSON, origin: String, id: [UInt8]? = nil, _ changes: SoftChanges = SoftChanges()
    ) throws -> AuthJSON {
        let request = try SoftRequest(request: options)
        let found = credentials.lastIndex { credential in
            credential.relyingPartyID == request.relyingPartyID && (id ?? credential.id) == credential.id
                && (request.descriptors.isEmpty || request.descriptors.contains(credential.id))
        }
        guard let found else { throw SoftAuthenticatorProblem.noCredential }
        if counts { credentials[found].signCount += 1 }
        if let count = changes.signCount { credentials[found].signCount = count }
        let credential = credentials[found]
        let data = authenticatorData(credential, changes)
        let clientData = Self.clientData("webauthn.get", request.challenge, origin, changes)
        var signature = try credential.key.sign(data + SHA256.hash(data: clientData))
        if changes.hasWrongSignature { signature[signature.count - 1] ^= 1 }
        var members: AuthJSONObject = [
            "clientDataJSON": .string(Base64URL.text(clientData)),
            "authenticatorData": .string(Base64URL.text(data)),
            "signature": .string(Base64URL.text(signature)),
        ]
        let handle = changes.userHandle ?? credential.userHandle
        if !handle.isEmpty { members["userHandle"] = .string(Base64URL.text(handle)) }
        return Self.json(changes.reportedID ?? credential.id, members)
    }

    private func authenticatorData(
        _ credential: Credential, _ changes: SoftChanges, attested: [UInt8] = []
    ) -> [UInt8] {
        var flags = changes.flags ?? flags
        if !attested.isEmpty { flags.insert(.attestedData) }
        let id = changes.relyingPartyID ?? credential.relyingPartyID
        let count = CBORWriter.bigEndian(UInt64(credential.signCount), count: 4)
        return SHA256.hash(data: Array(id.utf8)) + [flags.rawValue] + count + attested + changes.extensions
    }

    private func statement(
        _ credential: Credential, _ signed: [UInt8], _ changes: SoftChanges
    ) throws -> (format: String, encoded: [UInt8]) {
        if let statement = changes.statement { return statement }
        guard attestation == .packedSelf else { return ("none", CBORWriter.map([])) }
        var signature = try credential.key.sign(signed)
        if changes.hasWrongSignature { signature[signature.count - 1] ^= 1 }
        let members = [
            (CBORWriter.text("alg"), CBORWriter.integer(credential.key.algorithm.rawValue)),
            (CBORWriter.text("sig"), CBORWriter.bytes(signature)),
        ]
        return ("packed", CBORWriter.map(members))
    }

    /// In the order of §5.8.1.1.
    private static func clientData(
        _ type: String, _ challenge: [UInt8], _ origin: String, _ changes: SoftChanges
    ) -> [UInt8] {
        if let bytes = changes.clientData { return bytes }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", changes.type ?? type)
        writer.member("challenge", Base64URL.text(changes.challenge ?? challenge))
        writer.member("origin", origin)
        writer.member("crossOrigin", changes.crossOrigin ?? false)
        writer.member("topOrigin", ifPresent: changes.topOrigin)
        writer.endObject()
        return writer.bytes
    }

    private static func json(_ id: [UInt8], _ response: AuthJSONObject) -> AuthJSON {
        [
            "id": .string(Base64URL.text(id)), "rawId": .string(Base64URL.text(id)), "type": "public-key",
            "response": .object(response), "clientExtensionResults": [:], "authenticatorAttachment": "platform",
        ]
    }
}
