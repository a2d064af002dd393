package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum ImportOutcome: Equatable, Sendable {
    case added
    /// An account with the same id is there already, unchanged.
    case alreadyThere
    case emailTaken, phoneTaken, identityTaken
}

extension Accounts {
    /// Adds an account that comes from elsewhere, as it is: id, times and password hash included.
    package func add(_ account: Account) async throws -> ImportOutcome {
        let account = try Self.withProofs(account)
        return try await database.write { db in
            let user = account.user
            if try db.row("SELECT 1 FROM users WHERE id = \(user.id)", { _ in true }) == true { return .alreadyThere }
            if let email = user.email.flatMap(EmailAddress.init), try db.isTaken(email, besides: user.id) {
                return .emailTaken
            }
            if let phone = user.phone.flatMap(PhoneNumber.init), try db.isTaken(phone, besides: user.id) {
                return .phoneTaken
            }
            for identity in account.identities {
                let taken = try db.row(
                    """
                    SELECT 1 FROM identities
                    WHERE provider = \(identity.provider) AND provider_id = \(identity.providerID)
                    """
                ) { _ in true }
                if taken == true { return .identityTaken }
            }
            try db.insert(user)
            for identity in account.identities { try db.insert(identity) }
            return .added
        }
    }

    /// What its providers vouched for is proven; that an address was confirmed elsewhere proves nothing here.
    private static func withProofs(_ account: Account) throws -> Account {
        var account = account
        for index in account.identities.indices where account.identities[index].isOfProvider {
            let data = try JSONReader.read(account.identities[index].data)
            account.identities[index].isEmailVerified =
                account.identities[index].email != nil && data["email_verified"]?.boolValue == true
        }
        let isProven = account.identities.contains { $0.vouches(for: account.user.email) }
        account.user.times.emailProvenAt = isProven ? account.user.times.emailConfirmedAt : nil
        return account
    }

    /// The accounts in the order of their ids, after `last`; an export asks again until none come.
    package func accounts(after last: UserID?, limit: Int) async throws -> [Account] {
        try await database.read { db in
            let ids = try db.rows(
                "SELECT id FROM users WHERE \(last) IS NULL OR id > \(last) ORDER BY id LIMIT \(limit)"
            ) { $0.text(0) }
            return try ids.compactMap { try db.account(UserID(trusted: $0)) }
        }
    }

    package func count() async throws -> Int {
        try await database.read { db in try db.row("SELECT count(*) FROM users") { Int($0.int(0)) } ?? 0 }
    }
}
