import AccountDomain
import GatehouseWire
import HTTPServing

extension IdentityHandlers {
    /// RFC 7636 §4.3.
    ///
    /// - Returns: nil for the implicit flow, if enabled.
    /// - Throws: ``Refusal`` `validation_failed` (400).
    func proofKey(_ query: Query) throws -> ProofKey? {
        let (challenge, method) = (query["code_challenge"] ?? "", query["code_challenge_method"] ?? "")
        guard let key = try Self.proofKey(challenge: challenge, method: method) else {
            if settings.allowsImplicitFlow { return nil }
            throw Refusal.invalid(
                "PKCE is required: code_challenge and code_challenge_method=s256 are missing")
        }
        guard key.method == .s256 || settings.allowsPlainProofKeys else {
            throw Refusal.invalid("code_challenge_method must be s256")
        }
        return key
    }

    /// - Returns: nil without a challenge.
    /// - Throws: ``Refusal`` `validation_failed` (400).
    func proofKey(_ body: JSONMembers) throws -> ProofKey? {
        let key = try Self.proofKey(
            challenge: try body.string("code_challenge") ?? "",
            method: try body.string("code_challenge_method") ?? "")
        guard key?.method != .plain || settings.allowsPlainProofKeys else {
            throw Refusal.invalid("code_challenge_method must be s256")
        }
        return key
    }

    /// Validates a challenge even if no code follows.
    func checkProofKey(_ body: JSONMembers) throws {
        _ = try Self.proofKey(
            challenge: try body.string("code_challenge") ?? "", method: try body.string("code_challenge_method") ?? "")
    }

    private static func proofKey(challenge: String, method: String) throws -> ProofKey? {
        if challenge.isEmpty, method.isEmpty { return nil }
        guard !challenge.isEmpty, ProofKey.Method(text: method.lowercased()) != nil else {
            throw Refusal.invalid("PKCE flow requires code_challenge_method and code_challenge")
        }
        guard (43...128).contains(challenge.utf8.count) else {
            throw Refusal.invalid("code challenge has to be between 43 and 128 characters")
        }
        guard let key = ProofKey(challenge: challenge, method: method) else {
            throw Refusal.invalid(
                "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes")
        }
        return key
    }
}
