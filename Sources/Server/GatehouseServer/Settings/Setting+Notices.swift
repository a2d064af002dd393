package import AccountDomain

extension Setting {
    /// Supabase's names where there is one.
    package static let notices: [(setting: Setting, kind: MailKind)] = [
        notice(.passwordChanged, .gotrue, "Emails users when their password changes."),
        notice(.emailChanged, .gotrue, "Emails the old address when an account's email changes."),
        notice(.identityLinked, .gotrue, "Emails users when a sign-in method is added."),
        notice(.identityUnlinked, .gotrue, "Emails users when a sign-in method is removed."),
        notice(
            .newDevice, .none,
            "Emails users about a sign-in on a kind of device (app, model or system) that the account has not "
                + "used for 400 days, except its first sign-in."),
        notice(.factorEnrolled, .gotrue, "Emails users when a second factor is added."),
        notice(.factorUnenrolled, .gotrue, "Emails users when a second factor is removed."),
        notice(.recoveryCodeUsed, .none, "Emails users when a recovery code is used."),
        notice(.recoveryCodesReplaced, .none, "Emails users when recovery codes are replaced."),
        notice(.passkeyCreated, .none, "Emails users when a passkey is added, except at sign-up."),
        notice(.passkeyDeleted, .none, "Emails users when a passkey is removed."),
    ]

    private static func notice(
        _ kind: MailKind, _ names: ForeignNames, _ summary: String
    ) -> (setting: Setting, kind: MailKind) {
        let name = kind.rawValue.replacing("_notification", with: "")
        return (Setting("mailer_notifications_\(name)_enabled", names, .flag(false), summary), kind)
    }
}
