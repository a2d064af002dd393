import Crypto
import Foundation
import Gatehouse
import GatehouseWire

/// A proof of a session's key (RFC 9449 §4.2) with a valid signature.
struct InMemoryProof: Sendable {
    /// RFC 7638, with SHA-256.
    let thumbprint: String
    let id: String
    let accessTokenHash: String?

    /// - Throws: `invalid_dpop_proof`. The device's clock is this server's, so the time is not checked.
    init(_ text: String, for call: HTTPCall) throws(AuthClientError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2][...]), header["typ"] == "dpop+jwt", header["alg"] == "ES256",
            let key = header["jwk"].flatMap(InMemoryPublicKey.init),
            key.isValid(signature, for: parts[0] + [UInt8(ascii: ".")] + parts[1]),
            let id = claims["jti"]?.stringValue, let method = claims["htm"]?.stringValue,
            let target = claims["htu"]?.stringValue, claims["iat"]?.intValue != nil
        else { throw .unproven }
        (thumbprint, self.id, accessTokenHash) = (key.thumbprint, id, claims["ath"]?.stringValue)
        var url = URLComponents(url: call.url, resolvingAgainstBaseURL: false)
        url?.query = nil
        guard method == call.method, target == url?.string else { throw .unproven }
    }

    private static func object(_ part: [UInt8]) -> AuthJSONObject? {
        // Ignored: nil is no JSON.
        Base64URL.decode(part[...]).flatMap { try? JSONReader.read($0) }?.objectValue
    }
}

private struct InMemoryPublicKey {
    let thumbprint: String
    private let key: P256.Signing.PublicKey

    init?(_ jwk: AuthJSON) {
        guard jwk["kty"] == "EC", jwk["crv"] == "P-256", jwk["d"] == nil,
            let x = jwk["x"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let y = jwk["y"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            // Ignored: nil is no key.
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { return nil }
        let members = [("crv", "P-256"), ("kty", "EC"), ("x", Base64URL.text(x)), ("y", Base64URL.text(y))]
        let text = "{" + members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
        (thumbprint, self.key) = (Base64URL.text(Array(SHA256.hash(data: Array(text.utf8)))), key)
    }

    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        // Ignored: nil is no signature.
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: bytes)
    }
}

extension AuthClientError {
    fileprivate static var unproven: AuthClientError { InMemoryServer.Fault.refused(400, .invalidProof) }
}

extension InMemoryServer {
    /// As the server: a bound session needs a new proof of its key, another one gets the request's key. A refusal never
    /// ends the session.
    mutating func refreshWithKey(_ session: Int, at now: Date) throws(AuthClientError) -> Opened {
        guard sessions[session] != nil else { return try refresh(session, at: now) }
        if let key = keys[session], key != presented?.thumbprint { throw .unproven }
        if let presented {
            guard usedProofs.insert(presented.id).inserted else { throw .unproven }
            bind(session)
        }
        return try refresh(session, at: now)
    }

    /// Only a device with the key changes anything with a bound session's access token.
    func requireKey(of caller: Caller, _ request: InMemoryRequest) throws(AuthClientError) {
        guard let key = keys[caller.id], request.changesAccount else { return }
        let hash = Base64URL.text(Array(SHA256.hash(data: Array(request.bearer.utf8))))
        guard presented?.thumbprint == key, presented?.accessTokenHash == hash else { throw .unproven }
    }

    /// To the key whose proof the request has.
    mutating func bind(_ session: Int) {
        guard let presented else { return }
        keys[session] = presented.thumbprint
        devices[session]?.isBound = true
    }
}
