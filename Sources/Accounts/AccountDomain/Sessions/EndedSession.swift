package import GatehouseWire

package struct EndedSession: Sendable {
    package let id: SessionID
    package let device: Device
    package var child: ChildSession?
    package let beganAt: Instant
    package let refreshedAt: Instant?
    package let endedAt: Instant
    package let reason: SessionEnd.Reason
    package let actor: SessionEnd.Actor
    /// nil without a request.
    package let endedBy: Device?

    package init(
        id: SessionID, device: Device, beganAt: Instant, refreshedAt: Instant?, endedAt: Instant,
        reason: SessionEnd.Reason, actor: SessionEnd.Actor, endedBy: Device? = nil
    ) {
        self.id = id
        self.device = device
        self.beganAt = beganAt
        self.refreshedAt = refreshedAt
        self.endedAt = endedAt
        self.reason = reason
        self.actor = actor
        self.endedBy = endedBy
    }

    /// Ended by policy but not removed yet; nil for an active session.
    package init?(_ session: Session, on device: Device, policy: SessionPolicy, at now: Instant) {
        guard let (reason, end) = policy.end(of: session), end < now else { return nil }
        self.init(
            id: session.id, device: device, beganAt: session.createdAt, refreshedAt: session.refreshedAt, endedAt: end,
            reason: reason, actor: .system)
        child = session.child
    }

    /// A child whose parent was ended by policy but not removed yet.
    package init(_ session: Session, on device: Device, with parent: EndedSession) {
        self.init(
            id: session.id, device: device, beganAt: session.createdAt, refreshedAt: session.refreshedAt,
            endedAt: parent.endedAt, reason: .parentEnded, actor: .system)
        child = session.child
    }
}

extension EndedSession {
    /// One sentence for an operator.
    package var story: String {
        switch reason {
        case .signedOut: isByOperator ? "\(who) signed the user out." : "The user signed out\(place)."
        case .othersSignedOut: "The user signed out all devices but one, on that device."
        case .signedOutEverywhere:
            isByOperator ? "\(who) signed the user out everywhere." : "The user signed out everywhere\(place)."
        case .everybodySignedOut: "The operator signed out all users."
        case .passwordChanged: "\(who) changed the password\(place)."
        case .addressProven:
            "The account's address was proven for the first time, which ends all earlier sessions. "
                + "Earlier credentials may be set aside until they are used with an emailed code."
        case .addressClaimed:
            "The mailbox's owner started over with a new account. This account keeps everything but the address."
        case .methodRemoved: "The user removed the sign-in method that had opened the session\(place)."
        case .linkUndone: "The user undid the link of the sign-in method that had opened the session\(place)."
        case .consentRevoked: "The user stopped using the provider's sign-in for this app."
        case .clientRemoved: "The user removed the app's access to the account."
        case .clientDeleted: "\(who) deleted the OAuth client."
        case .clientSignedOut: "The OAuth client gave its access back."
        case .codeReused: "An authorization code came a second time: it was copied, or the client repeated it."
        case .providerAccountDeleted: "The user's account at the sign-in provider was deleted."
        case .tokenReused:
            "A refresh token that had long been used came again: it was copied, or restored from a backup."
        case .endedByHook: "A hook refused the session, or asked to end the sessions of the user."
        case .accountDeleted: "\(who) deleted the account."
        case .levelRaised:
            "The user confirmed a second factor\(place), which ends all sessions without one."
        case .lowLevel: "The user has a second factor, and the session did without it for longer than is allowed."
        case .inactivity: "The device did not use the session for as long as the settings allow."
        case .lifetime: "The session reached the age that the settings, or the app that opened it, allow."
        case .parentEnded: "The session that had opened this one for a widget, watch, app or TV ended."
        case .notRecognized: "The account's owner reported the device as unknown, with the link of an emailed notice."
        case .endedAtSource: "An import found that the session had ended at its source."
        case .banned: "The account is banned."
        case .unknown: "Not recorded: an older program ended the session."
        }
    }

    /// The remedy, for the user or for the operator on the user's behalf.
    package var advice: String {
        switch reason {
        case .signedOut, .othersSignedOut, .signedOutEverywhere:
            "Sign in again. If the user did not do this, change the password and end the sessions."
        case .everybodySignedOut, .inactivity, .lifetime, .endedAtSource, .unknown: "Sign in again."
        case .parentEnded: "Sign in again in the app that opened it, which can then open a new one."
        case .clientRemoved, .clientSignedOut, .codeReused: "The app can ask for access again."
        case .clientDeleted: "The client has to be registered again."
        case .notRecognized: "If it was the user's, sign in again. A set-aside password needs an emailed code once."
        case .levelRaised, .lowLevel: "Sign in again, and confirm the second factor."
        case .passwordChanged: "Sign in with the new password, or reset it by mail if somebody else changed it."
        case .addressProven:
            "Sign in with the earlier password or passkey, then enter the emailed code if asked for it."
        case .addressClaimed: "The old account's password still signs in with the former address."
        case .methodRemoved, .linkUndone: "Sign in with another method of the account."
        case .consentRevoked: "Sign in with the provider again, which asks for consent, or with another method."
        case .providerAccountDeleted: "Sign in with another method, or reset the password by mail."
        case .tokenReused:
            "Sign in again and change the password. If it happens again, look for an app that stores old tokens."
        case .endedByHook: "Sign in again. If it is refused, look at the logs of the hook and of the server."
        case .accountDeleted: "Sign up again. The deletion cannot be undone."
        case .banned: "An administrator can lift the ban."
        }
    }

    private var who: String {
        switch actor {
        case .administrator: "An administrator"
        case .commandLine: "The operator"
        case .user, .otherDevice, .provider, .system, .unknown: "The user"
        }
    }

    private var isByOperator: Bool { actor == .administrator || actor == .commandLine }

    private var place: String { actor == .otherDevice ? " on another device" : "" }
}

extension SessionEnd.Actor {
    /// For a table.
    package var words: String {
        switch self {
        case .user: "the user"
        case .otherDevice: "the user, on another device"
        case .administrator: "an administrator"
        case .commandLine: "the operator"
        case .provider: "the provider"
        case .system: "the server"
        case .unknown: "unknown"
        }
    }
}
