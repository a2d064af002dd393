import AccountDomain
import AccountStore
import AuthServer
import Foundation
import GatehouseServer
import GatehouseWire
import SQLDatabase

/// Changes of signing keys and accounts.
struct DatabasePlan {
    private(set) var lines: [PlanLine] = []
    private(set) var unlisted: [String] = []
    private let settings: ServerSettings
    private let parts: Set<ServedPart>
    /// nil without a database.
    private var opened: OpenedAccounts?
    private(set) var changesKeys = false
    /// To be retired.
    private var current: StoredSigningKey?
    private var administrators: AdministratorPlan?

    /// - Parameter settings: As they will be.
    /// - Throws: ``DocumentProblems`` and ``CommandFailure``.
    init(
        _ document: ConfigDocument, name: String, _ settings: ServerSettings, parts: Set<ServedPart>, prunes: Bool
    ) async throws {
        (self.settings, self.parts) = (settings, parts)
        guard document.rotation != nil || document.administrators != nil else { return }
        if try await Self.exists(settings.database) {
            opened = try await OpenedAccounts(settings)
        } else {
            lines.append(PlanLine(.create, "database \(settings.database.name)"))
        }
        let now = System.now()
        if let rotation = document.rotation {
            guard SigningKeyList(settings, now: now).databaseKeySigns else {
                let text = "signing_keys are not used: a key in the settings signs (jwt_algorithm, jwt_keys)"
                throw DocumentProblems(name: name, problems: [DocumentProblem(rotation.line, text)])
            }
            try await plan(rotation, now)
        }
        if let wanted = document.administrators { try await plan(wanted, name, prunes: prunes, now) }
    }

    /// An empty database of PostgreSQL does not exist yet either.
    private static func exists(_ location: DatabaseLocation) async throws -> Bool {
        guard location.server != nil else { return FileManager.default.fileExists(atPath: location.path) }
        let steps = migrations(for: [.auth])
        return try await explaining {
            let database = try openDatabase(location, System.world())
            return try await explainingSchema { try await database.pendingMigrations(steps).count < steps.count }
        }
    }

    private mutating func plan(_ rotation: WantedRotation, _ now: Instant) async throws {
        let keys = opened?.signingKeys
        current = try await explaining { try await keys?.all() }?.first { $0.retiredAt == nil }
        if let current {
            guard now - current.createdAt >= rotation.age else { return }
            lines.append(PlanLine(.change, "signing_keys: rotate; \(current.id) was created \(current.createdAt)"))
        } else {
            lines.append(PlanLine(.create, "signing_keys"))
        }
        changesKeys = true
    }

    private mutating func plan(
        _ wanted: [WantedAdministrator], _ name: String, prunes: Bool, _ now: Instant
    ) async throws {
        let roles = settings.auth.adminRoles
        let accounts = opened?.accounts
        let (found, current) = try await explaining {
            var found: [User?] = []
            for administrator in wanted { found.append(try await accounts?.found(administrator)) }
            return (found, try await accounts?.admin.administrators(roles: roles) ?? [])
        }
        let plan = try AdministratorPlan(
            wanted, found: found, current: current, roles: roles, usualRole: settings.role, document: name,
            prunes: prunes, now: now)
        lines += plan.lines
        unlisted = plan.unlisted
        administrators = plan
    }

    /// Repeatable after an error or a crash.
    func apply() async throws {
        guard !lines.isEmpty else { return }
        if opened == nil {
            let database = try await explaining { try openDatabase(settings.database, System.world()) }
            _ = try await explaining { try await migrate(database, migrations(for: parts)) }
        }
        let opened = if let opened { opened } else { try await OpenedAccounts(settings) }
        try await explaining {
            if changesKeys { try await replaceKey(in: opened.signingKeys) }
            try await apply(administrators, opened.accounts)
        }
    }

    private func replaceKey(in keys: SigningKeys) async throws {
        let new = StoredSigningKey.new(at: System.now())
        guard let current else {
            _ = try await keys.ensure(new)
            return
        }
        // Tokens of the longest lifetime, in case the new settings shorten it.
        let verifyingTime = Duration.seconds(604_800) + KeyRing.overlap
        try await keys.rotate(to: new, forgettingRetiredBefore: new.createdAt - verifyingTime) { db in
            let found = try db.row("SELECT id FROM signing_keys WHERE id = \(current.id) AND retired_at IS NULL") {
                $0.text()
            }
            if found == nil { throw CommandFailure("The signing keys were rotated meanwhile. Run the command again.") }
        }
    }

    private func apply(_ plan: AdministratorPlan?, _ accounts: Accounts) async throws {
        guard let plan else { return }
        let roles = settings.auth.adminRoles
        for promotion in plan.promotions {
            var attributes = AdminAttributes()
            (attributes.role, attributes.roleNeedsNewSignIn) = (roles.first, true)
            if promotion.account == nil {
                (attributes.email, attributes.confirmsEmail) = (promotion.wanted.email, true)
            }
            let outcome =
                if let id = promotion.account {
                    try await accounts.admin.update(id, attributes, at: System.now())
                } else {
                    try await accounts.admin.create(attributes, at: System.now())
                }
            guard case .done = outcome else {
                throw CommandFailure(
                    "\(promotion.wanted.text) was registered, deleted or changed meanwhile. Run the command again.")
            }
        }
        guard !plan.demotions.isEmpty else { return }
        let keeper = try await accounts.keeper(plan.wanted, roles)
        for user in plan.demotions {
            guard let keeper,
                try await accounts.admin.demote(
                    user.id, to: settings.role, keeping: keeper, roles: roles, at: System.now())
            else { throw CommandFailure("The administrators were changed meanwhile. Run the command again.") }
        }
    }
}

extension Accounts {
    fileprivate func found(_ wanted: WantedAdministrator) async throws -> User? {
        if let id = wanted.id { return try await admin.account(id)?.user }
        return if let email = wanted.email { try await signIns.account(email: email)?.user } else { nil }
    }

    /// A listed administrator who can sign in.
    fileprivate func keeper(_ wanted: [WantedAdministrator], _ roles: [String]) async throws -> UserID? {
        for wanted in wanted {
            guard let user = try await found(wanted), roles.contains(user.role), user.times.deletedAt == nil,
                !user.isBanned(at: System.now())
            else { continue }
            return user.id
        }
        return nil
    }
}
