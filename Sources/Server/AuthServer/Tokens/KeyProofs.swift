import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

// DPoP (RFC 9449) on the requests that open and refresh sessions.
extension Callers {
    /// Of a proof without a nonce, by the client's clock.
    private static let age: Duration = .seconds(120)
    private static let leeway: Duration = .seconds(30)
    /// A nonce is good for its span and the four before.
    private static let nonceSeconds: Int64 = 60
    private static let nonceSpans: Int64 = 5

    /// nil without the header.
    ///
    /// - Parameter accessToken: The one that the request presents, if it is bound.
    /// - Throws: ``Refusal`` in OAuth's format: `invalid_dpop_proof`, or `use_dpop_nonce` with a nonce for a clock that
    ///   differs.
    func keyProof(_ request: Request, accessToken: String? = nil) throws -> KeyProof? {
        guard let text = request.headers[.dpop] else { return nil }
        let proof: PossessionProof
        do throws(TokenRejection) { proof = try PossessionProof(text) } catch {
            throw Refusal.oauth(
                "invalid_dpop_proof", "The DPoP proof is malformed or not signed by its key", cause: error)
        }
        guard proof.method == request.method.rawValue, isTarget(proof.target, of: request) else {
            throw Refusal.oauth("invalid_dpop_proof", "The DPoP proof is for another request")
        }
        if let accessToken, !proof.isFor(accessToken: accessToken) {
            throw Refusal.oauth("invalid_dpop_proof", "The DPoP proof is for another access token")
        }
        return KeyProof(
            thumbprint: proof.thumbprint, digest: proof.digest, issuedAt: try time(of: proof, at: runtime.now()))
    }

    /// Refuses a copied access token of a bound session: a change needs a proof of the key for this token.
    func requireKey(of caller: UserCaller, _ request: Request) throws {
        guard let key = caller.session?.keyThumbprint, let token = request.headers.bearerToken else { return }
        guard let proof = try keyProof(request, accessToken: token), proof.thumbprint == key else {
            throw Refusal.unproven
        }
    }

    /// Of a request that opens or refreshes a user's session.
    ///
    /// - Throws: ``Refusal`` also without a proof, from the date on which the server requires one.
    func sessionDevice(_ request: Request, _ context: ServerContext) throws -> Device {
        let device = try device(request, context)
        guard let date = settings.keysRequiredFrom, runtime.now() >= date, device.keyProof == nil, !context.isOwnPage
        else { return device }
        throw Refusal.oauth(
            "invalid_dpop_proof", "This server requires a proof of the device's key (RFC 9449): update the app")
    }

    /// Without query and fragment (RFC 9449 §4.3, point 9).
    private func isTarget(_ target: String, of request: Request) -> Bool {
        guard let asked = URLParts(target), let own = URLParts(settings.externalURL), asked.origin == own.origin else {
            return false
        }
        let path = Substring(asked.rest.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        let base = own.rest == "/" ? "" : own.rest
        guard path.hasPrefix(base) else { return false }
        let rest = path.utf8.dropFirst(base.utf8.count)
        return settings.prefixes.contains { request.uri.path == $0 + String(Substring(rest)) }
    }

    private func time(of proof: PossessionProof, at now: Instant) throws -> Instant {
        if let nonce = proof.nonce {
            guard let slot = nonce.split(ascii: ".").first.flatMap({ Int64($0) }), isRecent(slot, at: now),
                accounts.secrets.proofNonces(slot).contains(nonce)
            else { throw askForNonce(at: now) }
            return now
        }
        guard proof.issuedAt + Self.age >= now, proof.issuedAt <= now + Self.leeway else { throw askForNonce(at: now) }
        return proof.issuedAt
    }

    private func isRecent(_ slot: Int64, at now: Instant) -> Bool {
        (0..<Self.nonceSpans).contains(now.seconds / Self.nonceSeconds - slot)
    }

    /// RFC 9449 §8.
    private func askForNonce(at now: Instant) -> Refusal {
        let nonce = accounts.secrets.proofNonces(now.seconds / Self.nonceSeconds).first ?? ""
        return .oauth(
            "use_dpop_nonce", "The proof is not fresh: repeat it with this nonce", headers: [.dpopNonce: nonce])
    }
}

extension Refusal {
    /// A copied token must not sign its owner out, so it is no error of the token.
    static let unproven = Refusal.oauth(
        "invalid_dpop_proof", "The session is bound to a key, and the request has no fresh proof of it")
}

extension HTTPField.Name {
    static let dpop = Self("dpop")!
    static let dpopNonce = Self("dpop-nonce")!
}
