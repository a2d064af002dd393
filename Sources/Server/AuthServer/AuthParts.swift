package import AccountStore
import HTTPServing
import PasswordHashing

extension AuthServer {
    package var admin: AdminHandlers { AdminHandlers(server: self) }
    package var callers: Callers { Callers(server: self) }
    package var events: EventDelivery { EventDelivery(server: self) }
    package var factors: FactorHandlers { FactorHandlers(server: self) }
    package var mail: MailHandlers { MailHandlers(server: self) }
    var mailAdmission: MailAdmission { MailAdmission(server: self) }
    var texts: TextAdmission { TextAdmission(server: self) }
    package var mailDelivery: MailDelivery { MailDelivery(server: self) }
    package var passkeys: PasskeyHandlers { PasskeyHandlers(server: self) }
    package var identities: IdentityHandlers { IdentityHandlers(server: self) }
    package var signIns: SignInHandlers { SignInHandlers(server: self) }
    var tokens: TokenIssuing { TokenIssuing(server: self) }
    package var users: UserHandlers { UserHandlers(server: self) }
}

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
    var texts: TextAdmission { server.texts }
}

package struct AdminHandlers: AuthPart { package let server: AuthServer }

package struct Callers: AuthPart { package let server: AuthServer }

package struct EventDelivery: AuthPart { package let server: AuthServer }

package struct FactorHandlers: AuthPart { package let server: AuthServer }

package struct MailHandlers: AuthPart { package let server: AuthServer }

struct MailAdmission: AuthPart { let server: AuthServer }

package struct MailDelivery: AuthPart { package let server: AuthServer }

package struct PasskeyHandlers: AuthPart { package let server: AuthServer }

package struct IdentityHandlers: AuthPart { package let server: AuthServer }

package struct SignInHandlers: AuthPart { package let server: AuthServer }

struct TokenIssuing: AuthPart { let server: AuthServer }

package struct UserHandlers: AuthPart { package let server: AuthServer }
