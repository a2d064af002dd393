import GatehouseWire

/// The mails of the server. The raw values are stored and must not change.
package enum MailKind: String, CaseIterable, Sendable {
    /// Confirms the address of a sign-up.
    case signUp = "signup"
    case invite
    case magicLink = "magiclink"
    case recovery
    /// Confirms a change of address, to the present and to the new address.
    case emailChangeCurrent = "email_change_current"
    case emailChangeNew = "email_change_new"
    /// A code that replaces the current password in a change.
    case reauthentication
    /// Tells the owner of an address that it was used for another sign-up.
    case accountExists = "account_exists"
    /// A code that proves the account of a link ticket.
    case linkConfirmation = "link_confirmation"
    // Notices, which report what has happened to the account. Their names end in `_notification`.
    case passwordChanged = "password_changed_notification"
    /// To the address that the account had.
    case emailChanged = "email_changed_notification"
    case identityLinked = "identity_linked_notification"
    case identityUnlinked = "identity_unlinked_notification"
    case newDevice = "new_device_notification"
    case factorEnrolled = "mfa_factor_enrolled_notification"
    case factorUnenrolled = "mfa_factor_unenrolled_notification"
    /// An administrator will remove a second factor.
    case factorRemoval = "mfa_factor_removal_notification"
    case recoveryCodeUsed = "recovery_code_used_notification"
    /// New recovery codes replace the previous ones.
    case recoveryCodesReplaced = "recovery_codes_replaced_notification"
    case passkeyCreated = "passkey_created_notification"
    case passkeyDeleted = "passkey_deleted_notification"

    /// Whether the email reports what has happened, and asks for nothing.
    package var isNotice: Bool { rawValue.hasSuffix("_notification") }

    /// Where the mail's code is stored; nil for a mail without a code.
    package var slot: TokenSlot? {
        switch self {
        case .signUp, .invite: .confirmation
        case .magicLink, .recovery: .recovery
        case .emailChangeCurrent: .emailChangeCurrent
        case .emailChangeNew: .emailChangeNew
        case .reauthentication: .reauthentication
        case .linkConfirmation: .linkConfirmation
        default: nil
        }
    }

    /// The `type` of the emailed link; nil for a mail without a link.
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
        default: .notices
        }
    }
}

/// The purpose of an emailed code. An account has at most ``depth`` codes in each slot. The raw values are stored and must
/// not change.
package enum TokenSlot: String, CaseIterable, Sendable {
    case confirmation, recovery, reauthentication
    case emailChangeCurrent = "email_change_current"
    case emailChangeNew = "email_change_new"
    /// Proves the account of one link ticket.
    case linkConfirmation = "link_confirmation"

    /// The number of an account's codes for one purpose that are valid at the same time.
    package static let depth = 3

    /// The stored values of the slot, by the age of the code. Earlier programs know the first one alone.
    package var places: [String] { [rawValue, rawValue + "/1", rawValue + "/2"] }

    /// - Returns: nil for a slot that only a newer release knows.
    package init?(stored text: String) {
        guard let slot = text.split(ascii: "/", maxSplits: 1).first else { return nil }
        self.init(text: String(slot))
    }

    /// The other confirmation of a change of address.
    package var other: TokenSlot? {
        switch self {
        case .emailChangeCurrent: .emailChangeNew
        case .emailChangeNew: .emailChangeCurrent
        case .confirmation, .recovery, .reauthentication, .linkConfirmation: nil
        }
    }
}

/// Mails of different lanes do not wait for each other. The raw values are stored and must not change.
package enum MailLane: String, CaseIterable, Sendable {
    /// A person waits for these.
    case codes
    case invitations, notices
}
