package import GatehouseWire
import JSONWebTokens

/// What Apple tells the server about people, by itself.
package struct AppleNotification: Equatable, Sendable {
    /// How old one may be when it arrives. Whoever remembers ``id`` for longer acts on none twice.
    package static let maximumAge: Duration = .seconds(7 * 86_400)

    /// `jti`, 1 to 255 bytes; the same for every delivery of one notification.
    package let id: String
    /// Our client id, mostly the app's bundle id.
    package let client: String
    package let issuedAt: Instant
    /// One so far, 16 at most.
    package let events: [Event]

    package struct Event: Equatable, Sendable {
        package let kind: Kind
        /// The person, as in ID tokens.
        package let subject: String
        /// With the two kinds about addresses.
        package let email: String?
        package let isPrivateRelay: Bool
        /// When it happened. What the person did after that, such as consenting again, counts more.
        package let occurredAt: Instant?
    }

    package enum Kind: Equatable, Sendable {
        /// Mail to the relay address is no longer passed on.
        case emailDisabled
        case emailEnabled
        /// The person no longer uses Apple for this app: the sign-in method is gone, its sessions too.
        case consentRevoked
        /// The Apple account is gone for good.
        case accountDeleted
        /// One that Apple thought of later; at most 64 code points.
        case other(String)

        init(_ type: String) {
            self =
                switch type {
                case "email-disabled": .emailDisabled
                case "email-enabled": .emailEnabled
                case "consent-revoked": .consentRevoked
                // Apple's documents have had both.
                case "account-delete", "account-deleted": .accountDeleted
                default: .other(DisplayText.cut(type, to: 64))
                }
        }
    }
}

extension OpenIDProvider {
    /// Reads a notification that was posted to us: `{"payload":"<token>"}`. Anybody can post; only what Apple signed
    /// for one of our clients comes through.
    ///
    /// - Throws: ``ProviderFailure/unavailable(_:_:)`` when the keys could not be read: answer so that Apple tries
    ///   again. Otherwise ``ProviderFailure/rejected(_:)``.
    package func appleNotification(
        _ body: [UInt8], at now: Instant
    ) async throws(ProviderFailure) -> AppleNotification {
        guard settings.kind == .apple else { throw .notOffered(.notification) }
        guard body.count <= ProviderLimits.answer,
            // Lost: what is wrong with the JSON. Whoever sent it, it was not Apple.
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
        _ members: JSONObject, _ settings: ProviderSettings, at now: Instant
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
        // Apple's example has no `exp`, its notifications do.
        if let expiresAt, now >= expiresAt + IDTokenCheck.leeway { throw .expired(expiresAt) }
        guard issuedAt <= now + IDTokenCheck.leeway else { throw .notYetValid(claim: "iat") }
        guard now < issuedAt + Self.maximumAge else { throw .tooOld(issuedAt) }
        guard let events = Self.events(members["events"]) else { throw .notAccepted(.malformedClaim("events")) }
        self.events = events
    }

    /// JSON inside a text inside JSON; the plural of its name may be meant one day.
    private static func events(_ claim: AnyJSON?) -> [Event]? {
        // Lost: what is wrong with the inner JSON. It is refused as a whole.
        guard let events = claim?.stringValue.map({ try? JSONReader.read($0) }) ?? claim else { return nil }
        let list = events.arrayValue ?? [events]
        guard (1...16).contains(list.count) else { return nil }
        let read = list.compactMap(Event.init)
        return read.count == list.count ? read : nil
    }
}

extension AppleNotification.Event {
    fileprivate init?(_ json: AnyJSON) {
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

    /// Apple's example has seconds, its notifications milliseconds.
    private static func time(_ claim: AnyJSON?) -> Instant? {
        guard let number = claim?.intValue, (0..<100_000_000_000_000).contains(number) else { return nil }
        return number < 100_000_000_000 ? Instant(seconds: number) : Instant(microseconds: number * 1_000)
    }
}
