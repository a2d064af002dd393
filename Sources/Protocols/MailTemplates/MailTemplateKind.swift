/// The mails of an account server. The raw values are Supabase's names of templates where there is one.
package enum MailTemplateKind: String, CaseIterable, Sendable {
    /// A new account's address has to be confirmed.
    case confirmation
    /// A password reset.
    case recovery
    case magicLink = "magic_link"
    /// A code without a link, where only the app that asked can use it.
    case code
    case invite
    case reauthentication
    /// A change of address, to the address that the account has.
    case emailChangeCurrent = "email_change_current"
    /// A change of address, to the address that it will have.
    case emailChangeNew = "email_change_new"
    /// A sign-up with the address of an account: the owner learns of it, the person who signs up does not.
    case accountExists = "account_exists"
    case passwordChanged = "password_changed_notification"
    /// To the address that the account had.
    case emailChanged = "email_changed_notification"
    /// A sign-in method was added.
    case identityLinked = "identity_linked_notification"
    /// A sign-in method was removed.
    case identityUnlinked = "identity_unlinked_notification"
    case newDevice = "new_device_notification"
    /// A second factor was added.
    case factorEnrolled = "mfa_factor_enrolled_notification"
    /// A second factor was removed.
    case factorUnenrolled = "mfa_factor_unenrolled_notification"
    /// An administrator will remove a second factor.
    case factorRemoval = "mfa_factor_removal_notification"
    case recoveryCodeUsed = "recovery_code_used_notification"
    /// New recovery codes replace the previous ones.
    case recoveryCodesReplaced = "recovery_codes_replaced_notification"
    case passkeyCreated = "passkey_created_notification"
    case passkeyDeleted = "passkey_deleted_notification"
}

extension MailTemplateKind {
    /// The name of operators' templates and settings. Both mails of a change of address have one, as in Supabase Auth.
    package var templateName: String {
        switch self {
        case .emailChangeCurrent, .emailChangeNew: "email_change"
        default: rawValue
        }
    }

    /// All names of templates.
    package static let templateNames: [String] = {
        var seen: Set<String> = []
        return allCases.map(\.templateName).filter { seen.insert($0).inserted }
    }()

    static func named(_ templateName: String) -> [MailTemplateKind] {
        allCases.filter { $0.templateName == templateName }
    }

    /// Whether the mail reports what has happened, and asks for nothing.
    package var isNotice: Bool {
        rawValue.hasSuffix("_notification")
    }

    /// The variables that ``MailWriter/render(_:language:values:)`` cannot do without.
    var required: Set<MailVariable> {
        switch self {
        case .confirmation, .recovery, .magicLink, .invite: [.confirmationURL, .token]
        case .code, .reauthentication: [.token]
        case .emailChangeCurrent, .emailChangeNew: [.confirmationURL, .token, .newEmail]
        case .emailChanged: [.oldEmail]
        case .identityLinked, .identityUnlinked: [.provider]
        case .newDevice: [.device]
        case .factorRemoval: [.removalTime]
        default: []
        }
    }

    /// The variables that a template may use.
    package var variables: Set<MailVariable> {
        let always: Set<MailVariable> = [.appName, .siteURL, .email, .sendingTo, .data]
        let proof: Set<MailVariable> = [.token, .tokenHash, .lifetime]
        let link: Set<MailVariable> = [.confirmationURL, .redirectTo]
        return switch self {
        case .confirmation, .recovery, .magicLink, .invite, .accountExists: always.union(proof).union(link)
        case .code, .reauthentication: always.union(proof)
        case .emailChangeCurrent, .emailChangeNew: always.union(proof).union(link).union([.newEmail])
        case .passkeyCreated, .passkeyDeleted: always.union([.authenticator, .time, .device])
        case .factorEnrolled, .factorUnenrolled, .factorRemoval:
            always.union(required).union([.factorType, .time, .device])
        default: always.union(required).union([.time, .device])
        }
    }

    /// Of these variables a template needs one: without it the mail proves nothing.
    var proofs: Set<MailVariable> {
        isNotice || self == .accountExists ? [] : variables.intersection([.confirmationURL, .token, .tokenHash])
    }
}
