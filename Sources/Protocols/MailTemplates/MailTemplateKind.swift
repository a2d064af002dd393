/// Supabase's template names where they exist.
package enum MailTemplateKind: String, CaseIterable, Sendable {
    /// Of a new account's address.
    case confirmation
    case recovery
    case magicLink = "magic_link"
    /// A code without a link: only the app that requested it can use it.
    case code
    case invite
    case reauthentication
    /// To the current address.
    case emailChangeCurrent = "email_change_current"
    /// To the new address.
    case emailChangeNew = "email_change_new"
    /// A sign-up with an account's address: only the owner learns that it exists.
    case accountExists = "account_exists"
    case passwordChanged = "password_changed_notification"
    /// To the previous address.
    case emailChanged = "email_changed_notification"
    /// Or added, or removed.
    case phoneChanged = "phone_changed_notification"
    case identityLinked = "identity_linked_notification"
    case identityUnlinked = "identity_unlinked_notification"
    case newDevice = "new_device_notification"
    case factorEnrolled = "mfa_factor_enrolled_notification"
    case factorUnenrolled = "mfa_factor_unenrolled_notification"
    case factorRemoval = "mfa_factor_removal_notification"
    case recoveryCodeUsed = "recovery_code_used_notification"
    case recoveryCodesReplaced = "recovery_codes_replaced_notification"
    case passkeyCreated = "passkey_created_notification"
    case passkeyDeleted = "passkey_deleted_notification"
    case appConnected = "app_connected_notification"
}

extension MailTemplateKind {
    /// Both address-change emails share one, as in Supabase Auth.
    package var templateName: String {
        switch self {
        case .emailChangeCurrent, .emailChangeNew: "email_change"
        default: rawValue
        }
    }

    package static let templateNames: [String] = {
        var seen: Set<String> = []
        return allCases.map(\.templateName).filter { seen.insert($0).inserted }
    }()

    static func named(_ templateName: String) -> [MailTemplateKind] {
        allCases.filter { $0.templateName == templateName }
    }

    package var isNotice: Bool {
        rawValue.hasSuffix("_notification")
    }

    /// By ``MailWriter/render(_:language:values:)``.
    var required: Set<MailVariable> {
        switch self {
        case .confirmation, .recovery, .magicLink, .invite: [.confirmationURL, .token]
        case .code, .reauthentication: [.token]
        case .emailChangeCurrent, .emailChangeNew: [.confirmationURL, .token, .newEmail]
        case .emailChanged: [.oldEmail]
        case .identityLinked, .identityUnlinked: [.provider]
        case .newDevice: [.device]
        case .appConnected: [.clientName]
        case .factorRemoval: [.removalTime]
        default: []
        }
    }

    /// Available to templates.
    package var variables: Set<MailVariable> {
        let always: Set<MailVariable> = [.appName, .siteURL, .email, .sendingTo, .data]
        let proof: Set<MailVariable> = [.token, .tokenHash, .lifetime]
        let link: Set<MailVariable> = [.confirmationURL, .redirectTo]
        return switch self {
        case .confirmation, .recovery, .magicLink, .invite, .accountExists: always.union(proof).union(link)
        case .code, .reauthentication: always.union(proof)
        case .emailChangeCurrent, .emailChangeNew: always.union(proof).union(link).union([.newEmail])
        case .phoneChanged: always.union([.phone, .oldPhone, .time, .device])
        case .newDevice: always.union([.device, .reportURL, .time])
        case .appConnected: always.union([.clientName, .access, .appsURL, .time, .device])
        case .passkeyCreated, .passkeyDeleted: always.union([.authenticator, .time, .device])
        case .factorEnrolled, .factorUnenrolled, .factorRemoval:
            always.union(required).union([.factorType, .time, .device])
        default: always.union(required).union([.time, .device])
        }
    }

    /// Without any, the email proves nothing.
    var proofs: Set<MailVariable> {
        isNotice || self == .accountExists ? [] : variables.intersection([.confirmationURL, .token, .tokenHash])
    }
}
