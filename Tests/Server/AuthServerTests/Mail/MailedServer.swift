import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport

extension TestServer {
    /// The server confirms addresses by email.
    static func mailing(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, hashQueue: Int = 64,
        change: (inout AuthSettings) -> Void = { _ in }, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await with(on: kind, limits: limits, hashQueue: hashQueue) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
            change(&settings)
        } _: { server in
            try await test(server)
        }
    }

    func post(_ path: String, _ json: AuthJSON, headers: HTTPFields = [:]) async throws -> TestAnswer {
        try await send(.post, "/auth/v1" + path, headers: headers, json: json)
    }

    /// A confirmed account with the usual password.
    func confirmed(_ email: String = "ada@example.com") async throws {
        _ = try await admin(
            .post, "/users",
            json: ["email": .string(email), "password": .string(Self.password), "email_confirm": true])
    }

    /// Confirmed without a proof, as by an earlier release's automatic confirmation.
    func unproven(_ email: String = "ada@example.com") async throws {
        try await confirmed(email)
        try await database.write { db in
            _ = try db.run("UPDATE users SET email_proven_at = NULL WHERE email = \(email)")
        }
    }

    func verify(_ type: String, code: String, email: String = "ada@example.com") async throws -> TestAnswer {
        try await post("/verify", ["type": .string(type), "token": .string(code), "email": .string(email)])
    }

    /// Between two emails.
    func passInterval() { clock.advance(by: .seconds(61)) }

    /// A code that is not this one.
    static func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }
}
