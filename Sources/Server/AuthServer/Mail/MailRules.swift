package import AccountDomain

package struct MailRules: Sendable {
    package var codeLifetime: Duration = .seconds(3_600)
    /// People read an invitation when they find time.
    package var invitationLifetime: Duration = .seconds(604_800)
    /// Between two mails of a kind to one address.
    package var interval: Duration = .seconds(60)
    package var confirmsBothAddresses = true
    /// Opening a link spends it, as in Supabase Auth. Mail scanners open links.
    package var opensLinksAtOnce = false
    /// A new password needs an emailed code if the sign-in is more than a day old.
    package var requiresReauthentication = false
    package var notices: Set<MailKind> = []

    package init() {}
}
