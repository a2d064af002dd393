package import AccountStore
import HTTPServing
import PasswordHashing

/// Request handlers and background work, grouped by noun. All groups share one server's state.
extension AuthServer {
    package var admin: AdminHandlers { AdminHandlers(server: self) }
    package var callers: Callers { Callers(server: self) }
    package var events: EventDelivery { EventDelivery(server: self) }
    package var factors: FactorHandlers { FactorHandlers(server: self) }
    package var mail: MailHandlers { MailHandlers(server: self) }
    var mailAdmission: MailAdmission { MailAdmission(server: self) }
    package var mailDelivery: MailDelivery { MailDelivery(server: self) }
    package var passkeys: PasskeyHandlers { PasskeyHandlers(server: self) }
    package var identities: IdentityHandlers { IdentityHandlers(server: self) }
    package var signIns: SignInHandlers { SignInHandlers(server: self) }
    var tokens: TokenIssuing { TokenIssuing(server: self) }
    package var users: UserHandlers { UserHandlers(server: self) }
}

/// A group of request handlers.
package protocol AuthPart: Sendable {
    var server: AuthServer { get }
}

extension AuthPart {
    var settings: AuthSettings { server.settings }
    var accounts: Accounts { server.accounts }
    var keys: KeyRing { server.keys }
    var passwords: PasswordHasher { server.passwords }
    var runtime: ServerRuntime { server.runtime }
    var attempts: Attempts? { server.attempts }
    var providers: SignInProviders { server.providers }
    var mailer: Mailer? { server.mailer }
    var hooks: Hooks? { server.hooks }
    var webhooks: Webhooks? { server.webhooks }
    var captcha: Captcha? { server.captcha }
    var breachedPasswords: BreachedPasswords? { server.breachedPasswords }
    var answeredChallenges: AnsweredChallenges { server.answeredChallenges }
    var counts: AuthCounts { server.counts }
    var usedTokens: UsedTokens { server.usedTokens }
    var callers: Callers { server.callers }
    var mailAdmission: MailAdmission { server.mailAdmission }
}

/// For administrators: users, their sessions and factors, mails to them, the audit log.
package struct AdminHandlers: AuthPart { package let server: AuthServer }

/// Identifies the callers of requests, and checks their keys and rights.
package struct Callers: AuthPart { package let server: AuthServer }

/// The deliveries of webhooks.
package struct EventDelivery: AuthPart { package let server: AuthServer }

/// Second factors and recovery codes.
package struct FactorHandlers: AuthPart { package let server: AuthServer }

/// Requested mails, with their codes and links.
package struct MailHandlers: AuthPart { package let server: AuthServer }

/// The checks of every route that sends a mail.
struct MailAdmission: AuthPart { let server: AuthServer }

/// Sends the mails that wait.
package struct MailDelivery: AuthPart { package let server: AuthServer }

/// Passkeys: registration, sign-in and sign-up.
package struct PasskeyHandlers: AuthPart { package let server: AuthServer }

/// Sign-in through providers, and the links of identities to accounts.
package struct IdentityHandlers: AuthPart { package let server: AuthServer }

/// Signing up and in with a password or as a guest, and every grant of a token.
package struct SignInHandlers: AuthPart { package let server: AuthServer }

/// The tokens of sessions, with the hook that decides about them.
struct TokenIssuing: AuthPart { let server: AuthServer }

/// The user of a session, and the user's sessions and data.
package struct UserHandlers: AuthPart { package let server: AuthServer }
