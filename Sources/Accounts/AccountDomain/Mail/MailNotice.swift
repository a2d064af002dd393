package import GatehouseWire

package struct MailNotices: Sendable {
    package let kinds: Set<MailKind>
    /// Whether notices go only to proven addresses, not to all confirmed ones.
    package let needsProof: Bool

    package init(kinds: Set<MailKind> = [], needsProof: Bool = false) {
        (self.kinds, self.needsProof) = (kinds, needsProof)
    }

    package func reach(_ user: User) -> Bool {
        guard user.times.deletedAt == nil, user.times.emailConfirmedAt != nil else { return false }
        return !needsProof || user.times.emailProvenAt != nil
    }
}

package struct MailNotice: Sendable {
    package let time: Instant
    /// In words; nil for an administrator.
    package var device: String?
    package var oldEmail: String?
    /// A sign-in method's provider, or `email`.
    package var provider: String?
    package var factor: Factor.Kind?
    /// The product that keeps a passkey; nil if unknown. A thief could use the user's name for it to write to the
    /// owner.
    package var authenticator: String?
    /// When an administrator's removal takes effect.
    package var removalAt: Instant?

    package init(time: Instant) { self.time = time }

    var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "time": .integer(time.microseconds), "device": device.map(AuthJSON.string),
            "old_email": oldEmail.map(AuthJSON.string), "provider": provider.map(AuthJSON.string),
            "factor": (factor?.rawValue).map(AuthJSON.string),
            "authenticator": authenticator.map(AuthJSON.string),
            "removal_at": (removalAt?.microseconds).map(AuthJSON.integer),
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    init?(json: AuthJSON) {
        guard let time = json["time"]?.intValue else { return nil }
        self.init(time: Instant(microseconds: time))
        device = json["device"]?.stringValue
        oldEmail = json["old_email"]?.stringValue
        provider = json["provider"]?.stringValue
        factor = (json["factor"]?.stringValue).flatMap(Factor.Kind.init(text:))
        authenticator = json["authenticator"]?.stringValue
        removalAt = (json["removal_at"]?.intValue).map(Instant.init(microseconds:))
    }
}
