import Foundation
import Hummingbird
import JWTKit

/// A request with its user.
struct JournalContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The user's id; nil before ``RequiresUser``.
    var user: String?

    init(source: Source) { coreContext = .init(source: source) }
}

/// Refuses requests without a valid access token.
struct RequiresUser: RouterMiddleware {
    let tokens: AccessTokens

    func handle(
        _ request: Request, context: JournalContext, next: (Request, JournalContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let parts = request.headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw unauthorized("") }
        do {
            context.user = try await tokens.verify(String(parts[1])).sub.value
        } catch is AccessTokens.NoKeys {
            throw HTTPError(.serviceUnavailable)
        } catch {
            throw unauthorized(#", error="invalid_token""#)
        }
        return try await next(request, context)
    }

    /// RFC 6750 §3.
    private func unauthorized(_ reason: String) -> HTTPError {
        HTTPError(.unauthorized, headers: [.wwwAuthenticate: #"Bearer realm="journal""# + reason])
    }
}

@main struct JournalServer {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let tokens = AccessTokens(issuer: environment["GATEHOUSE_ISSUER"] ?? "http://localhost:9999/auth/v1")
        let router = Router(context: JournalContext.self)
        router.group("journal").add(middleware: RequiresUser(tokens: tokens)).get("today") { _, context in
            "Hello, \(context.user ?? "")"
        }
        let port = environment["PORT"].flatMap(Int.init) ?? 8080
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
            .runService()
    }
}
