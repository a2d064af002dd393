import GatehouseWire

extension Setting {
    // SMTP.
    package static let smtpHost = Setting(
        "smtp_host", .gotrue, .text(),
        "Name or IP address of the mail server.")
    package static let smtpPort = Setting(
        "smtp_port", .gotrue, .number(1...65_535, 587),
        "TCP port of the mail server, 1 to 65535.")
    package static let smtpTLS = Setting(
        "smtp_tls", .none, .text(),
        "`starttls`, `tls` (from the first byte) or `off`. Default: `off` for this machine, `tls` on "
            + "port 465, else `starttls`.")
    package static let smtpAuthorityFile = Setting(
        "smtp_ca_file", .none, .text(),
        "Path of a PEM file of trusted certificate authorities. Default: the system's.")
    package static let smtpUser = Setting(
        "smtp_user", .gotrue, .text(),
        "User name. Without it, no authentication.")
    package static let smtpPassword = Setting(
        "smtp_pass", .gotrue, .secret,
        "The user's password, for PLAIN or LOGIN.")
    package static let smtpTokenFile = Setting(
        "smtp_token_file", .none, .text(),
        "Path of a file with the user's OAuth 2.0 access token, for XOAUTH2. Read before each email.")
    package static let smtpSender = Setting(
        "smtp_admin_email", .gotrue, .text(),
        "Required with `smtp_host`. Sender address of all emails.")
    package static let smtpSenderName = Setting(
        "smtp_sender_name", .gotrue, .text(),
        "Sender name, such as the app's name.")
    package static let smtpConnections = Setting(
        "smtp_connections", .none, .number(1...64, 4),
        "Concurrent connections to the mail server, 1 to 64.")
    package static let smtpTimeLimit = Setting(
        "smtp_timeout", .none, .duration("2m"),
        "Time limit for sending one email, `1s` to `10m`. If the server replies later, the retry may deliver a "
            + "second copy.")

    static let mail = [
        smtpHost, smtpPort, smtpTLS, smtpAuthorityFile, smtpUser, smtpPassword, smtpTokenFile, smtpSender,
        smtpSenderName, smtpConnections, smtpTimeLimit,
    ]
}
