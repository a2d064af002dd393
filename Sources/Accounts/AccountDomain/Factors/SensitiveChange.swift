package import GatehouseWire

/// The changes that a stolen password or a stolen token alone must not make.
///
/// Each needs the second factor that the user has, in the session. If the settings say so
/// (``SessionPolicy/freshSignIn``), most also need a recent proof: the user's last sign-in, or a second factor in the
/// session.
package enum SensitiveChange: CaseIterable, Sendable {
    case deleteAccount, changeAddress, changePassword
    case addSignInMethod, removeSignInMethod
    case addFactor, removeFactor, replaceRecoveryCodes
    case addPasskey, removePasskey
    case downloadData, administer
    /// Opens a session of an app, no higher than this one.
    case handOver

    package var needsLevel: Bool { self != .handOver }

    /// Whose session needs a recent proof.
    package enum Proof: Sendable { case everybody, usersWithSecondFactor }

    package var proof: Proof {
        switch self {
        case .deleteAccount, .changeAddress, .changePassword, .addSignInMethod, .removeSignInMethod, .addFactor,
            .addPasskey, .downloadData, .administer, .handOver:
            .everybody
        // Without a verified factor there is nothing that a thief could gain.
        case .removeFactor, .replaceRecoveryCodes, .removePasskey: .usersWithSecondFactor
        }
    }
}

extension SessionPolicy {
    /// Whether a change needs a newer proof than the session has.
    ///
    /// - Parameter session: nil if the token names none.
    package func needsProof(
        _ change: SensitiveChange, by user: User, in session: Session?, at now: Instant
    ) -> Bool {
        if change.proof == .usersWithSecondFactor, !user.hasSecondFactor { return false }
        return !isFresh(session, of: user, at: now)
    }
}
