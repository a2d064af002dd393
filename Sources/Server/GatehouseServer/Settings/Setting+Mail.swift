import GatehouseWire

extension Setting {
    // The server that takes our mails.
    package static let smtpHost = Setting(
        "smtp_host", .gotrue, .text(), "The server that takes our mails: a name or an IP address.")
    package static let smtpPort = Setting(
        "smtp_port", .gotrue, .number(1...65_535, 587), "Its TCP port, 1 to 65535.")
    package static let smtpTLS = Setting(
        "smtp_tls", .none, .text(),
        "`starttls`, `tls` (from the first byte) or `off`. Without a value: `off` for a server on this machine, `tls` "
            + "on port 465, else `starttls`. A server without TLS gets no mail and no password, unless this is `off`.")
    package static let smtpAuthorityFile = Setting(
        "smtp_ca_file", .none, .text(),
        "Path of a file with the certificate authorities (PEM) that the server's certificate may come from. Without a "
            + "value: those of the system.")
    package static let smtpUser = Setting(
        "smtp_user", .gotrue, .text(), "The user to authenticate as. Without a value, the server does not authenticate."
    )
    package static let smtpPassword = Setting(
        "smtp_pass", .gotrue, .secret, "The user's password, for PLAIN or LOGIN.")
    package static let smtpTokenFile = Setting(
        "smtp_token_file", .none, .text(),
        "Path of a file with an OAuth 2.0 access token of the user, for XOAUTH2 instead of a password. Read before "
            + "each mail, so that another program can renew it.")
    package static let smtpSender = Setting(
        "smtp_admin_email", .gotrue, .text(), "Required with `smtp_host`. The address that mails come from.")
    package static let smtpSenderName = Setting(
        "smtp_sender_name", .gotrue, .text(), "The name beside that address, such as the app's.")
    package static let smtpConnections = Setting(
        "smtp_connections", .none, .number(1...64, 4), "Connections to the server at once, 1 to 64.")
    package static let smtpTimeLimit = Setting(
        "smtp_timeout", .none, .duration("2m"),
        "How long one attempt to send a mail may take, a Go duration from `1s` to `10m`. An attempt that ends before "
            + "the server has answered may leave a second copy.")

    static let mail = [
        smtpHost, smtpPort, smtpTLS, smtpAuthorityFile, smtpUser, smtpPassword, smtpTokenFile, smtpSender,
        smtpSenderName, smtpConnections, smtpTimeLimit,
    ]
}
