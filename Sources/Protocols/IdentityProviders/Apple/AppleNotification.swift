package import GatehouseWire
import JSONWebTokens

/// A server-to-server notification from Apple.
package struct AppleNotification: Equatable, Sendable {
    /// The maximum age on arrival. Storing ``id`` for longer than this prevents processing a notification twice.
    package static let maximumAge: Duration = .seconds(7 * 86_400)

    /// The `jti`, 1 to 255 bytes; the same for every delivery of a notification.
    package let id: String
    /// Our client id, usually the app's bundle id.
    package let client: String
    package let issuedAt: Instant
    /// One in practice, at most 16.
    package let events: [Event]

    package struct Event: Equatable, Sendable {
        package let kind: Kind
        /// The user's `sub`, as in ID tokens.
        package let subject: String
        /// Present for the two kinds about addresses.
        package let email: String?
        package let isPrivateRelay: Bool
        /// The time of the event. Later actions of the user, such as consenting again, take precedence.
        package let occurredAt: Instant?
    }

    package enum Kind: Equatable, Sendable {
        /// Apple stopped forwarding mail to the relay address.
        case emailDisabled
        case emailEnabled
        /// The user no longer uses Sign in with Apple for this app. Remove the sign-in method and its sessions.
        case consentRevoked
        /// The Apple account was deleted permanently.
        case accountDeleted
        /// A kind unknown to this program; at most 64 code points.
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
    /// Parses a notification posted to us: `{"payload":"<token>"}`. Anyone can post; only tokens that Apple signed for
    /// one of our clients are accepted.
    ///
    /// - Throws: ``ProviderFailure/unavailable(_:_:)`` if the keys could not be fetched; answer so that Apple retries.
    ///   Otherwise ``ProviderFailure/rejected(_:)``.
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
        // Apple's documented example has no `exp`, but real notifications do.
        if let expiresAt, now >= expiresAt + IDTokenCheck.leeway { throw .expired(expiresAt) }
        guard issuedAt <= now + IDTokenCheck.leeway else { throw .notYetValid(claim: "iat") }
        guard now < issuedAt + Self.maximumAge else { throw .tooOld(issuedAt) }
        guard let events = Self.events(members["events"]) else { throw .notAccepted(.malformedClaim("events")) }
        self.events = events
    }

    /// JSON in a string within JSON. The plural of the claim's name suggests an array.
    private static func events(_ claim: AuthJSON?) -> [Event]? {
        // Ignored: the notification is refused as a whole.
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

    /// Apple's documented example uses seconds, real notifications milliseconds.
    private static func time(_ claim: AuthJSON?) -> Instant? {
        guard let number = claim?.intValue, (0..<100_000_000_000_000).contains(number) else { return nil }
        return number < 100_000_000_000 ? Instant(seconds: number) : Instant(microseconds: number * 1_000)
    }
}
