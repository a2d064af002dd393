import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInApple {
    enum Event: String, CaseIterable {
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"
        case consentRevoked = "consent-revoked"
        case accountDelete = "account-delete"

        var isAboutAddress: Bool { self == .emailDisabled || self == .emailEnabled }
    }

    /// `/notify` with `{"person","event"}`, and `client_id` and `email` if needed.
    func notify(_ request: Request, _ context: ServerContext) async throws -> Response {
        let members = try await request.jsonMembers(context)
        let visitor = try Self.provider.visitor(named: members)
        guard let event = try members.string("event").flatMap(Event.init(text:)) else {
            throw OAuthRefusal.invalidRequest(
                "event has to be one of \(Event.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        guard !event.isAboutAddress || visitor.isRelay else {
            throw OAuthRefusal.invalidRequest("Apple says this about relay addresses only: person hidden.")
        }
        let client = try members.string("client_id") ?? registration.apps.first ?? registration.webClient
        guard client == registration.webClient || registration.apps.contains(client) else {
            throw OAuthRefusal(.badRequest, "invalid_client", "This client_id is not registered.")
        }
        guard let endpoint = registration.notificationEndpoint else {
            throw OAuthRefusal(.conflict, "not_configured", "No endpoint for notifications is registered.")
        }
        switch event {
        case .consentRevoked: ledger.endConsent(client, subject: visitor.subject)
        case .accountDelete: ledger.endConsent(nil, subject: visitor.subject)
        case .emailDisabled, .emailEnabled: break
        }
        let body = AuthJSON.object(["payload": .string(try notification(event, visitor, client))]).text
        do {
            let status = try await world.post(endpoint, Array(body.utf8))
            return OAuthAnswer.json([
                "event": .string(event.rawValue), "sub": .string(visitor.subject), "status": .integer(Int64(status)),
            ])
        } catch {
            throw OAuthRefusal(.badGateway, "not_delivered", "The server did not answer at \(endpoint).")
        }
    }

    /// As with Apple: JSON in a string, with milliseconds and booleans as strings.
    private func notification(_ event: Event, _ visitor: Visitor, _ client: String) throws -> String {
        let now = world.now()
        var events: AuthJSONObject = [
            "type": .string(event.rawValue), "sub": .string(visitor.subject),
            "event_time": .integer(now.microseconds / 1_000),
        ]
        if event.isAboutAddress {
            events["email"] = visitor.email.map(AuthJSON.string)
            events["is_private_email"] = "true"
        }
        return try keys.sign([
            "iss": .string(registration.issuer), "aud": .string(client), "iat": .integer(now.seconds),
            "exp": .integer((now + Self.idTokenLifetime).seconds),
            "jti": .string(Base64URL.text(world.randomBytes(16))),
            "events": .string(AuthJSON.object(events).text),
        ])
    }
}
