import AccountDomain

/// The settings of notices, with Supabase's names where there is one.
extension Setting {
    package static let passwordNotice = Setting(
        "mailer_notifications_password_changed_enabled", .gotrue, .flag(false),
        "Whether the owner of an account gets a mail about a new password.")
    package static let emailNotice = Setting(
        "mailer_notifications_email_changed_enabled", .gotrue, .flag(false),
        "Whether the old address gets a mail about a change of address.")
    package static let linkedNotice = Setting(
        "mailer_notifications_identity_linked_enabled", .gotrue, .flag(false),
        "Whether the owner of an account gets a mail about a new sign-in method.")
    package static let unlinkedNotice = Setting(
        "mailer_notifications_identity_unlinked_enabled", .gotrue, .flag(false),
        "Whether the owner of an account gets a mail about a sign-in method that was removed.")
    package static let newDeviceNotice = Setting(
        "mailer_notifications_new_device_enabled", .none, .flag(false),
        "Whether the owner of an account gets a mail about a sign-in with a kind of device that the account has not "
            + "used for 400 days: another app, model or system. The first sign-in of an account brings none.")

    package static let factorEnrolledNotice = Setting(
        "mailer_notifications_mfa_factor_enrolled_enabled", .gotrue, .flag(false),
        "Whether the owner of an account gets a mail about a new second factor.")
    package static let factorUnenrolledNotice = Setting(
        "mailer_notifications_mfa_factor_unenrolled_enabled", .gotrue, .flag(false),
        "Whether the owner of an account gets a mail about a second factor that was removed.")

    package static let recoveryCodeNotice = Setting(
        "mailer_notifications_recovery_code_used_enabled", .none, .flag(false),
        "Whether the owner of an account gets a mail when a recovery code is used.")
    package static let recoveryCodesNotice = Setting(
        "mailer_notifications_recovery_codes_replaced_enabled", .none, .flag(false),
        "Whether the owner of an account gets a mail when new recovery codes replace those before.")
    package static let passkeyCreatedNotice = Setting(
        "mailer_notifications_passkey_created_enabled", .none, .flag(false),
        "Whether the owner of an account gets a mail about a new passkey. The passkey of a sign-up brings none.")
    package static let passkeyDeletedNotice = Setting(
        "mailer_notifications_passkey_deleted_enabled", .none, .flag(false),
        "Whether the owner of an account gets a mail about a passkey that was deleted.")

    static let notices: [(setting: Setting, kind: MailKind)] = [
        (passwordNotice, .passwordChanged), (emailNotice, .emailChanged), (linkedNotice, .identityLinked),
        (unlinkedNotice, .identityUnlinked), (newDeviceNotice, .newDevice),
        (factorEnrolledNotice, .factorEnrolled), (factorUnenrolledNotice, .factorUnenrolled),
        (recoveryCodeNotice, .recoveryCodeUsed), (recoveryCodesNotice, .recoveryCodesReplaced),
        (passkeyCreatedNotice, .passkeyCreated), (passkeyDeletedNotice, .passkeyDeleted),
    ]
}
