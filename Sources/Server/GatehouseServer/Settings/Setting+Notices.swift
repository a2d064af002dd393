package import AccountDomain

extension Setting {
    /// The notices that an operator can turn on: a row for each. The names are Supabase's where there is one.
    package static let notices: [(setting: Setting, kind: MailKind)] = [
        notice(.passwordChanged, .gotrue, "Whether the owner of an account gets a mail about a new password."),
        notice(.emailChanged, .gotrue, "Whether the old address gets a mail about a change of address."),
        notice(.identityLinked, .gotrue, "Whether the owner of an account gets a mail about a new sign-in method."),
        notice(
            .identityUnlinked, .gotrue,
            "Whether the owner of an account gets a mail about a sign-in method that was removed."
        ),
        notice(
            .newDevice, .none,
            "Whether the owner of an account gets a mail about a sign-in with a kind of device that the account has not "
                + "used for 400 days: another app, model or system. The first sign-in of an account brings none."),
        notice(.factorEnrolled, .gotrue, "Whether the owner of an account gets a mail about a new second factor."),
        notice(
            .factorUnenrolled, .gotrue,
            "Whether the owner of an account gets a mail about a second factor that was removed."
        ),
        notice(.recoveryCodeUsed, .none, "Whether the owner of an account gets a mail when a recovery code is used."),
        notice(
            .recoveryCodesReplaced, .none,
            "Whether the owner of an account gets a mail when new recovery codes replace those before."
        ),
        notice(
            .passkeyCreated, .none,
            "Whether the owner of an account gets a mail about a new passkey. The passkey of a sign-up brings none."
        ),
        notice(.passkeyDeleted, .none, "Whether the owner of an account gets a mail about a passkey that was deleted."),
    ]

    private static func notice(
        _ kind: MailKind, _ names: ForeignNames, _ summary: String
    ) -> (setting: Setting, kind: MailKind) {
        let name = kind.rawValue.replacing("_notification", with: "")
        return (Setting("mailer_notifications_\(name)_enabled", names, .flag(false), summary), kind)
    }
}
