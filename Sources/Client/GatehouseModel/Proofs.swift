public import Foundation
public import Gatehouse

/// A way to prove the user's identity.
public enum ProofMethod: Hashable, Sendable {
    /// An authenticator app's code.
    case app(AuthFactor)
    /// A security key.
    case key(AuthFactor)
    /// A texted code.
    case phone(AuthFactor)
    /// A recovery code, which is single-use.
    case recoveryCode
    /// A passkey of the account.
    case passkey
    /// The account's password.
    case password
}

extension ProofMethod {
    /// The button's title.
    public var title: ModelText {
        switch self {
        case .app: "Use an Authenticator App"
        case .key: "Use a Security Key"
        case .phone: "Use a Text Message"
        case .recoveryCode: "Use a Recovery Code"
        case .passkey: "Use a Passkey"
        case .password: "Use Your Password"
        }
    }
}

/// Why a proof is needed.
public enum ProofNeed: Hashable, Sendable {
    /// The session has not proven the account's second factor.
    case secondFactor
    /// The server requires a recent proof.
    case freshProof
}

/// A request for proof, answered with ``AuthManager/proofs``.
public struct ProofQuestion: Hashable, Sendable {
    /// The account's id.
    public var userID: UUID
    /// The reason.
    public var need: ProofNeed
    /// The methods, most convenient first; empty if this version knows none.
    public var methods: [ProofMethod]

    /// For tests and previews.
    public init(userID: UUID, need: ProofNeed, methods: [ProofMethod]) {
        self.userID = userID
        self.need = need
        self.methods = methods
    }
}

extension ProofNeed {
    /// nil for any other failure.
    init?(_ error: any Error) {
        switch AuthError(error) {
        case .secondFactorNeeded: self = .secondFactor
        case .freshSignInNeeded: self = .freshProof
        default: return nil
        }
    }
}

extension ProofMethod {
    /// Proven apps, then keys, then telephones, then recovery codes.
    static func factors(of user: AuthUser) -> [ProofMethod] {
        let verified = (user.factors ?? []).filter { $0.status == .verified }
        let apps = verified.filter { $0.factorType == .totp }.map { ProofMethod.app($0) }
        let keys = verified.filter { $0.factorType == .webAuthn }.map { ProofMethod.key($0) }
        let phones = verified.filter { $0.factorType == .phone }.map { ProofMethod.phone($0) }
        return apps + keys + phones + (verified.contains { $0.factorType == .recoveryCode } ? [.recoveryCode] : [])
    }
}
