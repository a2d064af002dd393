import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("What an administrator does for a user")
struct AdminAidTests {
    @Test("An administrator removes a sign-in method, but not the last one", arguments: TestDatabase.all)
    func identity(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            func identities() async throws -> [AuthJSON] {
                let user = try await server.admin(.get, "/users/\(session.userID)")
                return user["identities"]?.arrayValue ?? []
            }
            let own = try #require(try await identities().first?["identity_id"]?.stringValue)
            let path = "/users/\(session.userID)/identities/"
            #expect(try await server.admin(.delete, path + own).code == "single_identity_not_deletable")
            #expect(
                try await server.admin(
                    .put, "/users/\(session.userID)",
                    json: ["phone": "4915550100", "phone_confirm": true]
                ).status == 200)
            let phone = try #require(
                try await identities().first { $0["provider"] == "phone" }?["identity_id"]?.stringValue)
            #expect(try await server.admin(.delete, path + phone).status == 204)
            #expect(try await identities().count == 1)
            #expect(try await server.admin(.delete, path + phone).code == "single_identity_not_deletable")
            #expect(try await server.admin(.delete, path + "x").status == 404)
            let audit = try await server.admin(.get, "/audit?query=action:identity_unlinked")
            #expect(audit.text.contains("service_role") && audit.text.contains(phone))
        }
    }

    @Test("A confirmation and an invitation are sent again, and noted", arguments: TestDatabase.all)
    func resend(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let json: AuthJSON = ["email": "ada@example.com", "password": .string(TestServer.password)]
            let made = try await server.post("/signup", json)
            let user = try #require((made["user"]?["id"] ?? made["id"])?.stringValue)
            _ = try await server.deliveredMail()
            server.passInterval()
            #expect(try await server.admin(.post, "/users/\(user)/resend").status == 204)
            let mail = try await server.deliveredMail()
            #expect(mail.mail.content.kind == .signUp)
            #expect(try await server.verify("signup", code: mail.code).status == 200)
            #expect(try await server.admin(.post, "/users/\(user)/resend").code == "validation_failed")
            let audit = try await server.admin(.get, "/audit?query=action:user_confirmation_requested")
            #expect(audit.text.contains(user) && audit.text.contains("service_role"))

            let invited = try await server.admin(.post, "/invite", json: ["email": "bob@example.com"])
            let other = try #require(invited["id"]?.stringValue)
            _ = try await server.deliveredMail()
            server.passInterval()
            #expect(try await server.admin(.post, "/users/\(other)/resend").status == 204)
            #expect(try await server.deliveredMail().mail.content.kind == .invite)
        }
    }
}
