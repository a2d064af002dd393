package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// All groups share one database and rules.
extension Accounts {
    package var admin: AdminStore { AdminStore(accounts: self) }
    package var cleaning: Cleaning { Cleaning(accounts: self) }
    package var codes: CodeStore { CodeStore(accounts: self) }
    package var events: EventStore { EventStore(accounts: self) }
    package var factors: FactorStore { FactorStore(accounts: self) }
    package var flows: FlowStore { FlowStore(accounts: self) }
    package var links: LinkStore { LinkStore(accounts: self) }
    package var mailQueue: MailQueue { MailQueue(accounts: self) }
    package var mails: MailStore { MailStore(accounts: self) }
    package var oauth: OAuthStore { OAuthStore(accounts: self) }
    package var passkeys: PasskeyStore { PasskeyStore(accounts: self) }
    package var personalRecords: PersonalRecords { PersonalRecords(accounts: self) }
    package var proofs: ProofStore { ProofStore(accounts: self) }
    package var providerCalls: ProviderCalls { ProviderCalls(accounts: self) }
    package var recoveryCodes: RecoveryCodeStore { RecoveryCodeStore(accounts: self) }
    package var resealing: Resealing { Resealing(accounts: self) }
    package var searchIndex: SearchIndex { SearchIndex(accounts: self) }
    package var sessions: SessionStore { SessionStore(accounts: self) }
    package var signIns: SignInStore { SignInStore(accounts: self) }
    package var transfers: TransferStore { TransferStore(accounts: self) }
}

package protocol AccountPart: Sendable {
    var accounts: Accounts { get }
}

extension AccountPart {
    var database: any Database { accounts.database }
    var secrets: ServerSecrets { accounts.secrets }
    var policy: SessionPolicy { accounts.policy }
    var randomBytes: @Sendable (Int) -> [UInt8] { accounts.randomBytes }
    var notices: MailNotices { accounts.notices }
    var agreement: TokenAgreement? { accounts.agreement }
    var factorRules: FactorRules { accounts.factorRules }
    var tokenRoom: TokenRoom { accounts.tokenRoom }
    var retention: Retention { accounts.retention }
    var confirmsBothAddresses: Bool { accounts.confirmsBothAddresses }
    var mailsChangesTogether: Bool { accounts.mailsChangesTogether }
    var mailsLinkCodes: Bool { accounts.mailsLinkCodes }
    var offersPasskeys: Bool { accounts.offersPasskeys }
    var audience: String { accounts.audience }
    var role: String { accounts.role }

    func newID<Owner>() -> Identifier<Owner> { accounts.newID() }
}

package struct AdminStore: AccountPart { package let accounts: Accounts }

package struct Cleaning: AccountPart { package let accounts: Accounts }

package struct CodeStore: AccountPart { package let accounts: Accounts }

package struct EventStore: AccountPart { package let accounts: Accounts }

package struct FactorStore: AccountPart { package let accounts: Accounts }

package struct FlowStore: AccountPart { package let accounts: Accounts }

package struct LinkStore: AccountPart { package let accounts: Accounts }

package struct MailQueue: AccountPart { package let accounts: Accounts }

package struct MailStore: AccountPart { package let accounts: Accounts }

package struct OAuthStore: AccountPart { package let accounts: Accounts }

package struct PasskeyStore: AccountPart { package let accounts: Accounts }

package struct PersonalRecords: AccountPart { package let accounts: Accounts }

package struct ProofStore: AccountPart { package let accounts: Accounts }

package struct ProviderCalls: AccountPart { package let accounts: Accounts }

package struct RecoveryCodeStore: AccountPart { package let accounts: Accounts }

/// Re-encrypts with the newest server secret.
package struct Resealing: AccountPart { package let accounts: Accounts }

package struct SessionStore: AccountPart { package let accounts: Accounts }

package struct SignInStore: AccountPart { package let accounts: Accounts }

package struct TransferStore: AccountPart { package let accounts: Accounts }
