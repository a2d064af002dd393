package import AccountDomain

extension Setting {
    /// Supabase's names where there is one.
    package static let notices: [(setting: Setting, kind: MailKind)] =
        supabaseNotices.map { notice($0, .gotrue) } + ownNotices.map { notice($0, .none) }

    private static let supabaseNotices: [MailKind] = [
        .passwordChanged, .emailChanged, .phoneChanged, .identityLinked, .identityUnlinked, .factorEnrolled,
        .factorUnenrolled,
    ]
    private static let ownNotices: [MailKind] = [
        .newDevice, .recoveryCodeUsed, .recoveryCodesReplaced, .passkeyCreated, .passkeyDeleted, .appConnected,
    ]

    private static func notice(_ kind: MailKind, _ names: ForeignNames) -> (setting: Setting, kind: MailKind) {
        let name = kind.rawValue.replacing("_notification", with: "")
        let setting = Setting(
            "mailer_notifications_\(name)_enabled", names, .flag(false), "Emails users about this event.",
            documentedKey: "mailer_notifications_<event>_enabled")
        return (setting, kind)
    }
}
