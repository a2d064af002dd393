package import AccountDomain

/// The rules of a server that sends mail.
package struct MailRules: Sendable {
    /// How long an emailed code or link is valid.
    package var codeLifetime: Duration = .seconds(3_600)
    /// The time between two mails of a kind to one address.
    package var interval: Duration = .seconds(60)
    /// Whether both addresses must confirm a change from one to the other.
    package var confirmsBothAddresses = true
    /// Whether opening an emailed link spends it, as in Supabase Auth. Mail scanners open links.
    package var opensLinksAtOnce = false
    /// Whether a new password needs an emailed code when the sign-in is more than a day old.
    package var requiresReauthentication = false
    /// The security notices that an account's owner receives.
    package var notices: Set<MailKind> = []

    package init() {}
}
