import Foundation
import Gatehouse
import GatehouseModel
import HTTPTypes
import TestSupport
import Testing

@MainActor @Suite("Reports of failures")
struct ReportTests {
    /// A time, a name, and names with words.
    private static func isPlain(_ event: String) -> Bool {
        event.wholeMatch(of: /[0-9TZ:-]+ [a-z_]+( [a-z_]+=[A-Za-z0-9_-]+)*/) != nil
    }

    @Test("After a refused refresh it names the reason, the request and the events, and nothing of the user")
    func refusedRefresh() async throws {
        try await ModelWorld.with { world in
            try await world.signUp("ada@example.com", name: "Ada")
            #expect(world.manager.report == nil)
            let session = try #require(await world.client.currentSession)
            let id = session.user.id.uuidString.lowercased()
            _ = try await world.server.admin(.delete, "/users/\(id)")
            world.server.clock.advance(by: .seconds(3_601))
            await #expect(throws: AuthError.notAuthenticated) { try await world.manager.accessToken() }
            await until { world.manager.signedOutReason != nil && world.manager.report?.status != nil }
            let report = try #require(world.manager.report)
            #expect(report.reason == "refresh_token_not_found" && report.cause == "account_deleted")
            #expect(report.status == 400)
            let request = try #require(report.requestID)
            let events = report.events.map { $0.split(separator: " ", maxSplits: 1)[1] }
            #expect(events.contains("token_refresh_attempted reason=expired"), "\(report)")
            #expect(
                events.contains("session_signed_out reason=refresh_token_not_found cause=account_deleted"), "\(report)")
            for event in report.events { #expect(Self.isPlain(event), "\(event)") }
            #expect(report.text.contains("HTTP status: 400\nRequest ID: \(request)\nTime: "), "\(report)")
            let secrets = [
                session.accessToken, session.refreshToken, "ada@example.com", "Ada", TestServer.password, id,
            ]
            for secret in secrets { #expect(!report.text.lowercased().contains(secret.lowercased()), "\(report)") }
            try await world.signUp("grace@example.com", name: "Grace")
            #expect(world.manager.report == nil)
        }
    }

    @Test("It keeps the last ten events of any failure, and nothing of the user")
    func lastEvents() async throws {
        try await ModelWorld.with { world in
            try await world.signUp("ada@example.com", name: "Ada")
            await world.manager.signOut()
            for number in 0..<12 {
                // Ignored: the report has it.
                _ = try? await world.manager.signInWithEmail("ada\(number)@example.com", password: "secret-\(number)!")
            }
            var refusal = AuthRefusal(status: 500, code: AuthErrorCode(rawValue: "ada@example.com"), message: "ada")
            refusal.requestID = "request-1"
            let message = try #require(SignInMessage(.email, AuthClientError.refused(refusal)))
            let report = try #require(world.manager.report(about: message))
            #expect(report.events.count == 10)
            for event in report.events { #expect(Self.isPlain(event), "\(event)") }
            #expect((report.reason, report.status, report.requestID) == ("other", 500, "request-1"))
            for secret in ["ada", "secret"] { #expect(!report.text.contains(secret), "\(report)") }
        }
    }

    @Test("Messages that explain themselves have none")
    func understood() async throws {
        try await ModelWorld.with { world in
            let errors: [AuthError] = [
                .wrongCredentials, .offline(.noConnection), .weakPassword(AuthWeakPassword(reasons: [])), .forbidden,
                .networkError(.refused(AuthRefusal(status: 500, code: nil))),
            ]
            for error in errors {
                let message = try #require(SignInMessage(.email, error))
                #expect(world.manager.report(about: message) == nil)
            }
        }
    }

    @Test(
        "A server's code that is no word is not repeated",
        arguments: ["ada@example.com", "Bearer eyJhbGciOi", "", String(repeating: "a", count: 65), "név", "a\nb"])
    func codes(_ text: String) async throws {
        try await ModelWorld.with { world in
            let reason = SignedOutReason.endedByServer(
                AuthErrorCode(rawValue: text), because: SessionEndReason(rawValue: text))
            let message = try #require(SignInMessage(reason))
            let report = try #require(world.manager.report(about: message))
            #expect((report.reason, report.cause) == ("other", "other"))
        }
    }
}
