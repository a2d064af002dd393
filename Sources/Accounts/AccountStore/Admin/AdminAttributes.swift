package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// nil keeps the current value, or a new account's default.
package struct AdminAttributes: Sendable {
    package var id: UserID?
    package var audience: String?
    package var role: String?
    /// Accounts with one of these roles are not changed: ``AdminOutcome/refusedRole``.
    package var protectedRoles: [String] = []
    /// A change of role ends sessions, and voids codes, links and a pending change of address: someone with fewer rights
    /// could have them.
    package var roleNeedsNewSignIn = false
    package var email: EmailAddress?
    package var phone: PhoneNumber?
    package var passwordHash: Secret?
    package var confirmsEmail = false
    package var confirmsPhone = false
    package var userMetadata: AuthJSONObject?
    package var appMetadata: AuthJSONObject?
    package var ban: Ban?
    /// Kept with ``ban`` for operators.
    package var banReason: String?

    package enum Ban: Equatable, Sendable {
        case lifted
        case lasting(Duration)
    }

    package init() {}

    func makesPermanent(_ user: User) -> Bool {
        let hasEmail = confirmsEmail && (email != nil || user.email != nil)
        let hasPhone = confirmsPhone && (phone != nil || user.phone != nil)
        return user.isAnonymous && (hasEmail || hasPhone)
    }
}

/// Only `done` has changed anything.
package enum AdminOutcome: Sendable {
    case done(Account)
    case emailTaken, phoneTaken, idTaken
    case unknownUser
    case refusedRole
    case metadataTooLong
}
