package import GatehouseWire

/// Changes that a stolen password or token alone must not make.
///
/// Each needs the user's second factor in the session. With ``SessionPolicy/freshSignIn``, most also need a recent
/// sign-in or second factor.
package enum SensitiveChange: CaseIterable, Sendable {
    case deleteAccount, changeAddress, changePassword
    case addSignInMethod, removeSignInMethod
    case addFactor, removeFactor, replaceRecoveryCodes
    case addPasskey, removePasskey
    case downloadData, administer
    /// Opens an app session at most at this session's level.
    case handOver
    /// Lets an OAuth client act for the user.
    case approveClient

    package var needsLevel: Bool { self != .handOver }

    package enum Proof: Sendable { case everybody, usersWithSecondFactor }

    package var proof: Proof {
        switch self {
        case .deleteAccount, .changeAddress, .changePassword, .addSignInMethod, .removeSignInMethod, .addFactor,
            .addPasskey, .downloadData, .administer, .handOver, .approveClient:
            .everybody
        // Without a verified factor, a thief gains nothing.
        case .removeFactor, .replaceRecoveryCodes, .removePasskey: .usersWithSecondFactor
        }
    }
}

extension SessionPolicy {
    /// - Parameter session: nil if the token names none.
    package func needsProof(
        _ change: SensitiveChange, by user: User, in session: Session?, at now: Instant
    ) -> Bool {
        if change.proof == .usersWithSecondFactor, !user.hasSecondFactor { return false }
        return !isFresh(session, of: user, at: now)
    }
}
