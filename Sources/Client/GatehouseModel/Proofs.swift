public import Foundation
public import Gatehouse

/// What proves that the user of a session is who they say.
public enum ProofMethod: Hashable, Sendable {
    /// The code of an authenticator app.
    case app(AuthFactor)
    /// A security key.
    case key(AuthFactor)
    /// A recovery code, which is then used up.
    case recoveryCode
    /// A passkey of the account.
    case passkey
    /// The account's password.
    case password
}

extension ProofMethod {
    /// The title of the button that chooses the method.
    public var title: ModelText {
        switch self {
        case .app: "Use an Authenticator App"
        case .key: "Use a Security Key"
        case .recoveryCode: "Use a Recovery Code"
        case .passkey: "Use a Passkey"
        case .password: "Use Your Password"
        }
    }
}

/// Why a proof is needed.
public enum ProofNeed: Hashable, Sendable {
    /// The account has a second factor, which the session has not proven.
    case secondFactor
    /// The server requires a proof of the last minutes.
    case freshProof
}

/// A question for a proof. ``AuthManager/proofs`` answers it.
public struct ProofQuestion: Hashable, Sendable {
    /// The account.
    public var userID: UUID
    /// Why it is asked.
    public var need: ProofNeed
    /// The methods to choose from, the most convenient first. Empty for an account whose factors this version does not
    /// know.
    public var methods: [ProofMethod]

    /// For tests and previews.
    public init(userID: UUID, need: ProofNeed, methods: [ProofMethod]) {
        self.userID = userID
        self.need = need
        self.methods = methods
    }
}

extension ProofNeed {
    /// The proof that a refused call needs; nil for any other failure.
    init?(_ error: any Error) {
        switch AuthError(error) {
        case .secondFactorNeeded: self = .secondFactor
        case .freshSignInNeeded: self = .freshProof
        default: return nil
        }
    }
}

extension ProofMethod {
    /// The proven factors of an account: apps, then keys, then recovery codes.
    static func factors(of user: AuthUser) -> [ProofMethod] {
        let verified = (user.factors ?? []).filter { $0.status == .verified }
        let apps = verified.filter { $0.factorType == .totp }.map { ProofMethod.app($0) }
        let keys = verified.filter { $0.factorType == .webAuthn }.map { ProofMethod.key($0) }
        return apps + keys + (verified.contains { $0.factorType == .recoveryCode } ? [.recoveryCode] : [])
    }
}
