package import AccountDomain
package import GatehouseWire

/// Changes of accounts' roles.
package struct AdministratorPlan: Sendable {
    package struct Promotion: Sendable {
        package let wanted: WantedAdministrator
        /// nil for a new account.
        package let account: UserID?
    }

    package let wanted: [WantedAdministrator]
    package private(set) var promotions: [Promotion] = []
    package private(set) var demotions: [User] = []
    package private(set) var lines: [PlanLine] = []
    /// Administrators that are not in the document.
    package private(set) var unlisted: [String] = []

    /// - Parameters:
    ///   - found: The accounts of `wanted`, in its order.
    ///   - current: All administrators.
    ///   - roles: Administrators', a new one's first.
    ///   - usualRole: A former administrator's.
    /// - Throws: ``DocumentProblems``.
    package init(
        _ wanted: [WantedAdministrator], found: [User?], current: [User], roles: [String], usualRole: String,
        document: String, prunes: Bool, now: Instant
    ) throws(DocumentProblems) {
        self.wanted = wanted
        var problems: [DocumentProblem] = []
        for (wanted, user) in zip(wanted, found) {
            if let problem = Self.problem(wanted, user, roles) {
                problems.append(DocumentProblem(wanted.line, problem))
            } else if let user, !roles.contains(user.role) {
                lines.append(PlanLine(.change, "administrators \(wanted.text): role \(user.role) -> \(roles[0])"))
                promotions.append(Promotion(wanted: wanted, account: user.id))
            } else if user == nil {
                lines.append(PlanLine(.create, "administrators \(wanted.text): new account, role \(roles[0])"))
                promotions.append(Promotion(wanted: wanted, account: nil))
            }
        }
        let others = current.filter { user in !found.contains { $0?.id == user.id } }
        let names = others.map { "administrators \($0.email ?? $0.id.text)" }
        if prunes {
            demotions = others
            lines += zip(names, others).map { PlanLine(.remove, "\($0): role \($1.role) -> \(usualRole)") }
            if !others.isEmpty, found.allSatisfy({ $0?.isBanned(at: now) == true }) {
                problems.append(DocumentProblem(1, "--prune would leave no administrator; list one who is not banned"))
            }
        } else {
            unlisted = names
        }
        guard problems.isEmpty else { throw DocumentProblems(name: document, problems: problems) }
    }

    private static func problem(_ wanted: WantedAdministrator, _ user: User?, _ roles: [String]) -> String? {
        if roles.isEmpty { return "jwt_admin_roles has no role" }
        guard wanted.email != nil else {
            return user == nil || user?.times.deletedAt != nil ? "no account has the ID \(wanted.text)" : nil
        }
        guard let user, !roles.contains(user.role), user.times.emailProvenAt == nil else { return nil }
        return "\(wanted.text) is not proven, so a stranger may have registered it: let its owner sign in with an "
            + "emailed code first, or list the account's ID \(user.id.text)"
    }
}
