import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Factors in the admin API")
struct AdminFactorTests {
    @Test("An administrator lists, renames and removes the factors of a user", arguments: TestDatabase.all)
    func administers(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (session, app) = try await server.protected()
            let other = try await server.enroll(session, named: "other")
            let path = "/users/\(session.userID)/factors"
            let listed = try await server.admin(.get, path)
            let names = try JSONReader.read(listed.bytes).arrayValue?.compactMap { $0["friendly_name"]?.stringValue }
            #expect(names == ["app", "other"])
            let taken = try await server.admin(.put, "\(path)/\(other.factor)", json: ["friendly_name": "app"])
            #expect(taken.status == 422 && taken.code == "mfa_factor_name_conflict")
            let renamed = try await server.admin(.put, "\(path)/\(other.factor)", json: ["friendly_name": "tablet"])
            #expect(renamed["friendly_name"] == "tablet" && renamed["status"] == "unverified")
            let removed = try await server.admin(.delete, "\(path)/\(app.factor)")
            #expect(removed.status == 200 && removed["id"] == .string(app.factor) && removed["removal_at"] == nil)
            #expect(try await server.admin(.delete, "\(path)/\(app.factor)").code == "mfa_factor_not_found")
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            #expect(user.status == 200 && user["factors"]?.arrayValue?.count == 1)
            let log = try await server.accounts.auditLog(.type("factor"), page: PageRequest(number: 1, size: 50))
            let actions = log.elements.map(\.action)
            for action in ["factor_updated", "factor_deleted", "verification_attempted", "challenge_created"] {
                #expect(actions.contains(action), "\(action)")
            }
        }
    }

    private var delayed: FactorRules {
        var rules = FactorRules()
        rules.removalDelay = .seconds(86_400)
        return rules
    }

    @Test("With a delay the removal waits, tells the owner, and takes effect in time", arguments: TestDatabase.all)
    func waits(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: delayed) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
        } _: { server in
            let (session, app) = try await confirmedAndProtected(server)
            let path = "/users/\(session.userID)/factors/\(app.factor)"
            let begun = try await server.admin(.delete, path)
            let due = server.clock.now + .seconds(86_400)
            #expect(begun["removal_at"] == .string("\(due)"), "\(begun)")
            #expect(try await server.admin(.delete, path)["removal_at"] == .string("\(due)"))
            let mails = try await server.deliveredMails().filter { $0.content.kind == .factorRemoval }
            #expect(mails.map(\.content.notice?.removalAt) == [due])
            #expect(try await server.accounts.factors.removeDueFactors(at: server.clock.now) == 0)
            server.clock.advance(by: .seconds(86_400))
            #expect(try await server.accounts.factors.removeDueFactors(at: server.clock.now) == 1)
            let user = try await server.admin(.get, "/users/\(session.userID)")
            #expect(user["factors"] == nil)
        }
    }

    @Test("The owner stops the removal by using the factor", arguments: TestDatabase.all)
    func stops(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: delayed) { server in
            let (session, app) = try await server.protected()
            let path = "/users/\(session.userID)/factors/\(app.factor)"
            #expect(try await server.admin(.delete, path)["removal_at"] != nil)
            _ = try await server.raised(try await server.low(), by: app)
            server.clock.advance(by: .seconds(86_400))
            #expect(try await server.accounts.factors.removeDueFactors(at: server.clock.now) == 0)
            #expect(try await server.admin(.get, "/users/\(session.userID)")["factors"]?.arrayValue?.count == 1)
        }
    }

    private func confirmedAndProtected(_ server: TestServer) async throws -> (session: TestSession, app: TestApp) {
        try await server.confirmed()
        let first = try await server.low()
        let app = try await server.enroll(first)
        return (try await server.raised(first, by: app), app)
    }
}
