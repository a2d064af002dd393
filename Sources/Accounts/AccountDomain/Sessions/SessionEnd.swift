import GatehouseWire

package struct SessionEnd: Sendable {
    /// Raw values are stored, and sent to the session's former holder.
    package enum Reason: String, CaseIterable, Sendable {
        case signedOut = "signed_out"
        case othersSignedOut = "others_signed_out"
        case signedOutEverywhere = "signed_out_everywhere"
        /// By the operator.
        case everybodySignedOut = "everybody_signed_out"
        case passwordChanged = "password_changed"
        case addressProven = "address_proven"
        /// The user started over: the address moved to a new account.
        case addressClaimed = "address_claimed"
        case methodRemoved = "sign_in_method_removed"
        case linkUndone = "link_undone"
        case consentRevoked = "consent_revoked"
        /// The user removed the OAuth client's access.
        case clientRemoved = "client_removed"
        /// An administrator deleted the OAuth client.
        case clientDeleted = "client_deleted"
        /// The OAuth client gave its token back.
        case clientSignedOut = "client_signed_out"
        /// An authorization code was used twice.
        case codeReused = "authorization_code_reused"
        case providerAccountDeleted = "provider_account_deleted"
        /// A long-used refresh token was copied.
        case tokenReused = "refresh_token_reused"
        /// A hook refused the session, or signed the user out.
        case endedByHook = "ended_by_hook"
        case accountDeleted = "account_deleted"
        /// Not refreshed for ``SessionPolicy/inactivity``.
        case inactivity
        /// Older than ``SessionPolicy/timebox``, or than a child session's own limit.
        case lifetime
        /// The session was the child of one that ended.
        case parentEnded = "parent_ended"
        /// The user reported the device as unknown.
        case notRecognized = "not_recognized"
        /// Another session gave a second factor, which revokes sessions without one.
        case levelRaised = "second_factor_verified"
        /// The session went without the user's second factor for longer than ``SessionPolicy/lowLevel``.
        case lowLevel = "second_factor_missing"
        /// An import found that the session had ended at its source.
        case endedAtSource = "ended_at_source"
        /// Never stored: the session waits for the end of the ban.
        case banned
        /// The program records no reason.
        case unknown
    }

    /// Raw values are stored.
    package enum Actor: String, CaseIterable, Sendable {
        case user
        /// The user, in another session.
        case otherDevice = "other_device"
        case administrator
        case commandLine = "command_line"
        case provider, system, unknown
    }

    package let reason: Reason
    /// ``Actor/user`` becomes ``Actor/otherDevice`` for sessions other than ``session``.
    package let actor: Actor
    /// The session in which the user acted; nil without one.
    package let session: SessionID?
    /// nil without a request.
    package let device: Device?
    package var isByUser: Bool { actor == .user }

    private init(_ reason: Reason, _ actor: Actor, in session: SessionID? = nil, from device: Device?) {
        (self.reason, self.actor, self.session, self.device) = (reason, actor, session, device)
    }

    /// For the session's children.
    package var ofChildren: SessionEnd { SessionEnd(.parentEnded, actor, in: session, from: device) }

    package static func byUser(_ reason: Reason, in session: SessionID?, from device: Device?) -> SessionEnd {
        SessionEnd(reason, .user, in: session, from: device)
    }

    /// - Parameter device: nil for an operator's command.
    package static func byAdministrator(_ reason: Reason, from device: Device?) -> SessionEnd {
        SessionEnd(reason, device == nil ? .commandLine : .administrator, from: device)
    }

    package static func byProvider(_ reason: Reason, from device: Device?) -> SessionEnd {
        SessionEnd(reason, .provider, from: device)
    }

    /// - Parameter device: May be a thief's.
    package static func bySystem(_ reason: Reason, from device: Device?) -> SessionEnd {
        SessionEnd(reason, .system, from: device)
    }
}
