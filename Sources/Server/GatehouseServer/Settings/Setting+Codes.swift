// The settings of mails and of the codes in them.
extension Setting {
    package static let mailCodeLifetime = Setting(
        "mailer_otp_exp", .gotrue, .number(1...604_800, 3_600), "Seconds that a mailed code or link is good for.")
    package static let mailInterval = Setting(
        "smtp_max_frequency", .gotrue, .durationOrZero("60s"),
        "The time between two mails of a kind to one address, a Go duration. `0` means none.")
    package static let secureEmailChange = Setting(
        "mailer_secure_email_change_enabled", .gotrue, .flag(true),
        "Whether both addresses must confirm a change from one to the other.")
    package static let mailedLinksOpenAtOnce = Setting(
        "mailer_links_open_at_once", .none, .flag(false),
        "Whether opening a mailed link spends it, as in Supabase Auth. Mail scanners open links: with this, a scanner "
            + "confirms addresses for strangers who entered them. Without it, a page with a button comes first; with it, "
            + "only for links without PKCE that would take a password or sessions from an account.")
    package static let requireReauthentication = Setting(
        "security_update_password_require_reauthentication", .gotrue, .flag(false),
        "Whether a new password needs a mailed code when the sign-in is more than a day old.")
    package static let rateMails = Setting(
        "rate_limit_email_sent", .gotrue, .number(0...1_000_000_000, 30),
        "Mails in an hour to the confirmed addresses of accounts, and as many to all other addresses; further ones wait, "
            + "and are refused if they would wait for longer than their codes last. One client address may ask for a "
            + "third of them. Not counted: invitations, notices, and all mails with `mailer_autoconfirm`.")
    package static let mailFolder = Setting(
        "mail_folder", .none, .text(),
        "Path of a folder that mails are written to instead of being sent, one JSON file each: for tests.")

    static let codes: [Setting] = [
        mailCodeLifetime, mailInterval, secureEmailChange, mailedLinksOpenAtOnce, requireReauthentication, mailFolder,
    ]
}
