import AccountDomain
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("The plan for administrators")
struct AdministratorPlanTests {
    private static let today = Instant(seconds: 1_800_000_000)
    private static let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"

    private func user(_ email: String, _ role: String, isProven: Bool = true, isBanned: Bool = false) -> User {
        let last = String(email.utf8.reduce(0) { $0 + Int($1) }, radix: 16)
        var user = User(
            id: UserID(trusted: Self.id.dropLast(last.count) + last), audience: "", role: role,
            times: UserTimes(createdAt: Self.today))
        user.email = email
        user.times.emailProvenAt = isProven ? Self.today : nil
        user.times.bannedUntil = isBanned ? Self.today + .seconds(1) : nil
        return user
    }

    private func plan(
        _ wanted: [String], _ found: [User?], current: [User], prunes: Bool = false
    ) throws -> AdministratorPlan {
        let wanted = try wanted.enumerated().map { try #require(WantedAdministrator($1, line: $0 + 1)) }
        return try AdministratorPlan(
            wanted, found: found, current: current, roles: ["root", "operator"], usualRole: "plain",
            document: "a.yaml", prunes: prunes, now: Self.today)
    }

    private func lines(_ plan: AdministratorPlan) -> [String] { plan.lines.map { "\($0.sign.rawValue) \($0.text)" } }

    @Test("Accounts are created or promoted; any administrator's role is enough")
    func promotion() throws {
        let (ada, bob) = (user("ada@example.org", "operator"), user("bob@example.org", "plain"))
        let found = try plan(
            ["ada@example.org", "bob@example.org", "eve@example.org"], [ada, bob, nil], current: [ada])
        #expect(
            lines(found) == [
                "~ administrators bob@example.org: role plain -> root",
                "+ administrators eve@example.org: new account, role root",
            ])
        #expect(found.promotions.map(\.account) == [bob.id, nil])
        #expect(try plan(["ada@example.org"], [ada], current: [ada]).lines.isEmpty)
    }

    @Test("Others are demoted only with --prune, never all of them")
    func demotion() throws {
        let (ada, bob) = (user("ada@example.org", "root"), user("bob@example.org", "root"))
        let kept = try plan(["ada@example.org"], [ada], current: [ada, bob])
        #expect(kept.lines.isEmpty)
        #expect(kept.unlisted == ["administrators bob@example.org"])
        let pruned = try plan(["ada@example.org"], [ada], current: [ada, bob], prunes: true)
        #expect(lines(pruned) == ["- administrators bob@example.org: role root -> plain"])
        #expect(pruned.demotions.map(\.id) == [bob.id])
        let banned = user("ada@example.org", "root", isBanned: true)
        for (wanted, found) in [([], []), (["ada@example.org"], [banned])] as [([String], [User?])] {
            let error = try #require(throws: DocumentProblems.self) {
                try plan(wanted, found, current: [bob], prunes: true)
            }
            #expect(
                error.problems == [
                    DocumentProblem(1, "--prune would leave no administrator; list one who is not banned")
                ])
        }
    }

    @Test("An unproven email is not promoted, unless the account's ID is listed; an unknown ID is a problem")
    func unproven() throws {
        let bob = user("bob@example.org", "plain", isProven: false)
        let error = try #require(throws: DocumentProblems.self) { try plan(["bob@example.org"], [bob], current: []) }
        #expect(error.problems.map(\.text.utf8.count).allSatisfy { $0 > 0 })
        #expect(error.description.contains("bob@example.org is not proven") && error.description.contains(bob.id.text))
        #expect(try plan([bob.id.text], [bob], current: []).promotions.map(\.account) == [bob.id])
        let root = user("bob@example.org", "root", isProven: false)
        #expect(try plan(["bob@example.org"], [root], current: [root]).lines.isEmpty)
        let unknown = try #require(throws: DocumentProblems.self) { try plan([Self.id], [nil], current: []) }
        #expect(unknown.problems == [DocumentProblem(1, "no account has the ID \(Self.id)")])
    }
}
