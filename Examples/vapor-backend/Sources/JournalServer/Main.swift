import JWT
import Vapor

/// The claims of an access token that this API uses.
struct AccessToken: JWTPayload {
    let iss: IssuerClaim
    let aud: AudienceClaim
    let exp: ExpirationClaim
    /// The user's id, which never changes. An email address does.
    let sub: SubjectClaim

    func verify(using _: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        try aud.verifyIntendedAudience(includes: "authenticated")
    }
}

@main struct JournalServer {
    static func main() async throws {
        let app = try await Application.make(.detect())
        let issuer = Environment.get("GATEHOUSE_ISSUER") ?? "http://localhost:9999/auth/v1"
        let response = try await app.client.get(URI(string: issuer + "/.well-known/jwks.json"))
        // The keys of the start. A server that runs for long fetches them again, as the Hummingbird example does.
        try await app.jwt.keys.add(jwks: response.content.decode(JWKS.self))
        app.get("journal", "today") { request in
            let token = try await request.jwt.verify(as: AccessToken.self)
            guard token.iss.value == issuer else { throw Abort(.unauthorized) }
            return "Hello, \(token.sub.value)"
        }
        try await app.execute()
        try await app.asyncShutdown()
    }
}
