extension Setting {
    package static let mailCodeLifetime = Setting(
        "mailer_otp_exp", .gotrue, .number(1...604_800, 3_600),
        "Lifetime of an emailed code or link in seconds, 1 to 604800.")
    package static let invitationLifetime = Setting(
        "invitation_lifetime", .none, .duration("168h"), "Lifetime of an invitation's code and link.")
    package static let mailInterval = Setting(
        "smtp_max_frequency", .gotrue, .durationOrZero("60s"),
        "Minimum time between two emails of one kind to one address. `0`: none.")
    package static let secureEmailChange = Setting(
        "mailer_secure_email_change_enabled", .gotrue, .flag(true),
        "Requires confirmation from the old and the new address to change an email.")
    package static let mailedLinksOpenAtOnce = Setting(
        "mailer_links_open_at_once", .none, .flag(false),
        "Redeems an emailed link when it is opened, as Supabase Auth does, so mail scanners confirm "
            + "strangers' addresses. Otherwise users confirm on a page first; when on, only for links without "
            + "PKCE that would remove a password or sessions.")
    package static let requireReauthentication = Setting(
        "security_update_password_require_reauthentication", .gotrue, .flag(false),
        "Requires an emailed code to set a new password more than 24 hours after sign-in.")
    package static let rateMails = Setting(
        "rate_limit_email_sent", .gotrue, .number(0...1_000_000_000, 30),
        "Emails per hour to confirmed addresses, and as many to others. More wait, or are rejected if "
            + "their codes would expire first. One client address may request a third. Exempt: invitations, "
            + "notices, and all email with `mailer_autoconfirm`.")
    package static let mailFolder = Setting(
        "mail_folder", .none, .text(),
        "Path of a folder that receives emails as JSON files instead. For tests.")

    static let codes: [Setting] = [
        mailCodeLifetime, invitationLifetime, mailInterval, secureEmailChange, mailedLinksOpenAtOnce,
        requireReauthentication, mailFolder,
    ]
}
