import GatehouseWire

/// Raw values are stored and must not change.
package enum MailKind: String, CaseIterable, Sendable {
    case signUp = "signup"
    case invite
    case magicLink = "magiclink"
    case recovery
    /// A change of address is confirmed by the current and the new address.
    case emailChangeCurrent = "email_change_current"
    case emailChangeNew = "email_change_new"
    /// Replaces the current password in a change.
    case reauthentication
    /// Tells an address's owner about another sign-up with it.
    case accountExists = "account_exists"
    /// Proves the account of a link ticket.
    case linkConfirmation = "link_confirmation"
    // Text messages.
    case textSignUp = "sms_signup"
    case textSignIn = "sms"
    /// To the new number.
    case textPhoneChange = "phone_change"
    case textReauthentication = "sms_reauthentication"
    /// Answers a second factor's challenge.
    case textFactor = "mfa"
    // Notices. Their names end in `_notification`.
    case passwordChanged = "password_changed_notification"
    /// To the account's previous address.
    case emailChanged = "email_changed_notification"
    /// A number was changed, added or removed.
    case phoneChanged = "phone_changed_notification"
    case identityLinked = "identity_linked_notification"
    case identityUnlinked = "identity_unlinked_notification"
    case newDevice = "new_device_notification"
    case factorEnrolled = "mfa_factor_enrolled_notification"
    case factorUnenrolled = "mfa_factor_unenrolled_notification"
    /// An administrator will remove a second factor.
    case factorRemoval = "mfa_factor_removal_notification"
    case recoveryCodeUsed = "recovery_code_used_notification"
    case recoveryCodesReplaced = "recovery_codes_replaced_notification"
    case passkeyCreated = "passkey_created_notification"
    case passkeyDeleted = "passkey_deleted_notification"
    /// The user approved an OAuth client for the first time.
    case appConnected = "app_connected_notification"

    package var isNotice: Bool { rawValue.hasSuffix("_notification") }

    /// nil for an email without a code.
    package var slot: TokenSlot? {
        switch self {
        case .signUp, .invite: .confirmation
        case .magicLink, .recovery: .recovery
        case .emailChangeCurrent: .emailChangeCurrent
        case .emailChangeNew: .emailChangeNew
        case .reauthentication, .textReauthentication: .reauthentication
        case .textSignUp, .textSignIn: .phoneConfirmation
        case .textPhoneChange: .phoneChange
        case .linkConfirmation: .linkConfirmation
        default: nil
        }
    }

    /// nil for an email without a link.
    package var linkType: String? {
        switch self {
        case .signUp, .invite, .magicLink, .recovery: rawValue
        case .emailChangeCurrent, .emailChangeNew: "email_change"
        default: nil
        }
    }

    package var lane: MailLane {
        switch self {
        case .signUp, .magicLink, .recovery, .emailChangeCurrent, .emailChangeNew, .reauthentication,
            .linkConfirmation:
            .codes
        case .invite: .invitations
        case .textSignUp, .textSignIn, .textPhoneChange, .textReauthentication, .textFactor: .texts
        default: .notices
        }
    }
}

/// At most ``depth`` codes per account. Raw values are stored and must not change.
package enum TokenSlot: String, CaseIterable, Sendable {
    case confirmation, recovery, reauthentication
    case emailChangeCurrent = "email_change_current"
    case emailChangeNew = "email_change_new"
    case linkConfirmation = "link_confirmation"
    /// Signs in, and confirms a sign-up's number.
    case phoneConfirmation = "phone_confirmation"
    case phoneChange = "phone_change"

    /// For the audit log.
    package var provider: String { self == .phoneConfirmation || self == .phoneChange ? "phone" : "email" }

    /// True for the codes that complete a sign-up.
    package var confirmsSignUp: Bool { self == .confirmation || self == .phoneConfirmation }

    package static let depth = 3

    /// Stored values, newest code first. Earlier releases know only the first.
    package var places: [String] { [rawValue, rawValue + "/1", rawValue + "/2"] }

    /// - Returns: nil for a slot that only a newer release knows.
    package init?(stored text: String) {
        guard let slot = text.split(ascii: "/", maxSplits: 1).first else { return nil }
        self.init(text: String(slot))
    }

    package var other: TokenSlot? {
        switch self {
        case .emailChangeCurrent: .emailChangeNew
        case .emailChangeNew: .emailChangeCurrent
        default: nil
        }
    }
}

/// Lanes do not delay each other. Raw values are stored and must not change.
package enum MailLane: String, CaseIterable, Sendable {
    /// Users wait for these.
    case codes
    case invitations, notices
    /// SMS and WhatsApp. Unknown to releases before it, whose nodes leave them to others.
    case texts
}
