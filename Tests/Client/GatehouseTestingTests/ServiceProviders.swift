import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseWire
import HTTPTypes
import TestSupport

/// The users of Apple and Google, with verified addresses, for both kinds of service.
struct ServiceProviders: Sendable {
    /// The credential of a provider's own sheet.
    let credentials: @Sendable (AuthProvider, _ email: String) async throws -> IDTokenCredentials
    /// A browser with a user.
    let browser: @Sendable (_ email: String) -> any WebAuthenticator

    /// Of the service in memory.
    static let scripted = ServiceProviders(
        credentials: { person($1).credentials(from: $0) },
        browser: { ScriptedProviderSheet(.signsIn(person($0))) })

    private static func person(_ email: String) -> ProviderPerson { ProviderPerson(id: email, email: email) }

    /// Behind a server in this process.
    static func standIns(_ server: TestServer) -> ServiceProviders {
        ServiceProviders(
            credentials: { provider, email in
                let answer = try await server.send(
                    .post, "/dev/\(provider.rawValue)/native-credential",
                    json: ["person": "existing", "email": .string(email)])
                guard let token = (answer["identityToken"] ?? answer["idToken"])?.stringValue else {
                    throw UnexpectedAnswer(answer: answer)
                }
                return IDTokenCredentials(
                    provider: provider, idToken: token, accessToken: answer["accessToken"]?.stringValue,
                    authorizationCode: answer["authorizationCode"]?.stringValue)
            }, browser: { StandInBrowser(server: server, email: $0) })
    }
}

private struct StandInBrowser: WebAuthenticator {
    let server: TestServer
    let email: String

    func authenticate(_ address: @Sendable (URL) async throws -> URL) async throws -> URL {
        let start = try await address(URL(string: "myapp://callback")!)
        let browser = TestBrowser(server)
        let isOurs = start.path.hasPrefix("/auth/v1/")
        let back =
            isOurs
            ? try await browser.signIn(start.absoluteString, as: "existing", email: email)
            : try await browser.choose("existing", email: email, at: start.absoluteString)
        guard let url = back.location.flatMap({ URL(string: $0) }) else { throw UnexpectedAnswer(answer: back) }
        return url
    }
}
