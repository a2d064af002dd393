import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import IdentityProviders

extension IdentityHandlers {
    /// Server-to-server notifications, each at least once
    /// (https://developer.apple.com/documentation/signinwithapple/processing-changes-for-sign-in-with-apple-accounts).
    /// Responds with 200 to every known kind, even for unknown accounts.
    @Sendable func receiveAppleNotification(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let apple = providers.apple else { throw Refusal.unknownAddress }
        let body = try await request.bytes(context)
        let now = runtime.now()
        let notification: AppleNotification
        do throws(ProviderFailure) {
            notification = try await apple.provider.appleNotification(body, at: now)
        } catch {
            // Apple retries after an error that it did not cause.
            guard !error.isWorthRetrying else { throw Refusal(error) }
            throw Refusal(.badRequest, .validationFailed, "Not a valid notification for this server", cause: error)
        }
        for (index, event) in notification.events.enumerated() {
            guard let kind = ProviderNotice.Kind(event.kind) else { continue }
            let notice = ProviderNotice(
                id: "\(notification.id) \(index)", provider: apple.name, subject: event.subject, kind: kind,
                occurredAt: min(event.occurredAt ?? notification.issuedAt, now))
            let outcome = try await accounts.links.apply(notice, from: try callers.device(request, context), at: now)
            counts.notices.increment(apple.name, kind.rawValue, "\(outcome)")
        }
        return Answer.json { writer in
            writer.beginObject()
            writer.endObject()
        }
    }
}

extension ProviderNotice.Kind {
    fileprivate init?(_ kind: AppleNotification.Kind) {
        switch kind {
        case .emailDisabled: self = .emailDisabled
        case .emailEnabled: self = .emailEnabled
        case .consentRevoked: self = .consentRevoked
        case .accountDeleted: self = .accountDeleted
        case .other: return nil
        }
    }
}
