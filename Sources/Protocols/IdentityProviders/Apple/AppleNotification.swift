package import GatehouseWire
import JSONWebTokens

package struct AppleNotification: Equatable, Sendable {
    /// The maximum age on arrival. Keep ``id`` longer than this to process each notification only once.
    package static let maximumAge: Duration = .seconds(7 * 86_400)

    /// `jti`, 1 to 255 bytes; the same for every delivery of a notification.
    package let id: String
    package let client: String
    package let issuedAt: Instant
    /// At most 16; one in practice.
    package let events: [Event]

    package struct Event: Equatable, Sendable {
        package let kind: Kind
        /// `sub` in ID tokens.
        package let subject: String
        /// Only for events about addresses.
        package let email: String?
        package let isPrivateRelay: Bool
        /// Later actions, such as consenting again, take precedence.
        package let occurredAt: Instant?
    }

    package enum Kind: Equatable, Sendable {
        /// Apple stopped forwarding mail to the relay address.
        case emailDisabled
        case emailEnabled
        /// Sign in with Apple is no longer used for this app: remove the sign-in method and its sessions.
        case consentRevoked
        case accountDeleted
        /// At most 64 code points.
        case other(String)

        init(_ type: String) {
            self =
                switch type {
                case "email-disabled": .emailDisabled
                case "email-enabled": .emailEnabled
                case "consent-revoked": .consentRevoked
                // Apple's documentation has used both.
                case "account-delete", "account-deleted": .accountDeleted
                default: .other(DisplayText.cut(type, to: 64))
                }
        }
    }
}

extension OpenIDProvider {
    /// Parses a posted `{"payload":"<token>"}`; accepts only tokens that Apple signed for our clients.
    ///
    /// - Throws: ``ProviderFailure/unavailable(_:_:)`` if the keys could not be fetched: respond so that Apple retries.
    package func appleNotification(
        _ body: [UInt8], at now: Instant
    ) async throws(ProviderFailure) -> AppleNotification {
        guard settings.kind == .apple else { throw .notOffered(.notification) }
        guard body.count <= ProviderLimits.answer,
            // Ignored: Apple sends valid JSON, so this body is not Apple's.
            let token = (try? JSONReader.read(body))?["payload"]?.stringValue
        else { throw .rejected(.unreadable) }
        let payload = try await signed(Secret(token))
        guard settings.algorithms.contains(payload.algorithm) else { throw .rejected(.algorithm(payload.algorithm)) }
        do throws(IdentityRejection) {
            return try AppleNotification(payload.members, settings, at: now)
        } catch {
            throw .rejected(error)
        }
    }
}

extension AppleNotification {
    fileprivate init(
        _ members: AuthJSONObject, _ settings: ProviderSettings, at now: Instant
    ) throws(IdentityRejection) {
        let claims = ClaimReader(members: members)
        let audience: [String]
        let expiresAt: Instant?
        do throws(TokenRejection) {
            guard let id = try claims.text("jti"), (1...255).contains(id.utf8.count) else {
                throw TokenRejection.missingClaim("jti")
            }
            guard let issuedAt = try claims.time("iat") else { throw TokenRejection.missingClaim("iat") }
            (self.id, self.issuedAt) = (id, issuedAt)
            audience = try claims.texts("aud")
            expiresAt = try claims.time("exp")
        } catch {
            throw .notAccepted(error)
        }
        guard let client = audience.first(where: { settings.clientIDs.contains($0) }) else {
            throw .wrongAudience(found: audience, accepted: settings.clientIDs)
        }
        self.client = client
        // Apple's documented example has no `exp`; real notifications do.
        if let expiresAt, now >= expiresAt + IDTokenCheck.leeway { throw .expired(expiresAt) }
        guard issuedAt <= now + IDTokenCheck.leeway else { throw .notYetValid(claim: "iat") }
        guard now < issuedAt + Self.maximumAge else { throw .tooOld(issuedAt) }
        guard let events = Self.events(members["events"]) else { throw .notAccepted(.malformedClaim("events")) }
        self.events = events
    }

    /// JSON in a string. The claim's plural name suggests an array.
    private static func events(_ claim: AuthJSON?) -> [Event]? {
        // Ignored: the whole notification is refused.
        guard let events = claim?.stringValue.map({ try? JSONReader.read($0) }) ?? claim else { return nil }
        let list = events.arrayValue ?? [events]
        guard (1...16).contains(list.count) else { return nil }
        let read = list.compactMap(Event.init)
        return read.count == list.count ? read : nil
    }
}

extension AppleNotification.Event {
    fileprivate init?(_ json: AuthJSON) {
        guard let members = json.objectValue, let type = members["type"]?.stringValue, !type.isEmpty,
            let subject = members["sub"]?.stringValue, (1...255).contains(subject.utf8.count)
        else { return nil }
        let claims = ProfileClaims(members: members)
        kind = AppleNotification.Kind(type)
        self.subject = subject
        email = claims.email
        isPrivateRelay = claims.isPrivateRelay(.apple)
        occurredAt = Self.time(members["event_time"])
    }

    /// Seconds in Apple's documented example, milliseconds in reality.
    private static func time(_ claim: AuthJSON?) -> Instant? {
        guard let number = claim?.intValue, (0..<100_000_000_000_000).contains(number) else { return nil }
        return number < 100_000_000_000 ? Instant(seconds: number) : Instant(microseconds: number * 1_000)
    }
}
