package import GatehouseWire

/// The changes of an account that are reported to its owner.
package struct MailNotices: Sendable {
    package let kinds: Set<MailKind>
    /// Whether only proven addresses get notices. Otherwise confirmed addresses get them as well.
    package let needsProof: Bool

    package init(kinds: Set<MailKind> = [], needsProof: Bool = false) {
        (self.kinds, self.needsProof) = (kinds, needsProof)
    }

    /// Whether changes are reported to the account's owner.
    package func reach(_ user: User) -> Bool {
        guard user.times.deletedAt == nil, user.times.emailConfirmedAt != nil else { return false }
        return !needsProof || user.times.emailProvenAt != nil
    }
}

/// The details of a notice besides its kind.
package struct MailNotice: Sendable {
    package let time: Instant
    /// The device that made the change, in words; nil for an administrator.
    package var device: String?
    /// The address before its change.
    package var oldEmail: String?
    /// The provider of a sign-in method, or `email`.
    package var provider: String?
    /// The kind of a second factor.
    package var factor: Factor.Kind?
    /// The product that keeps a passkey; nil for an unknown one. Not the name that a user gave: a thief could write to the
    /// owner with it.
    package var authenticator: String?
    /// When a removal by an administrator takes effect.
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

    /// - Returns: nil for JSON that ``json`` cannot produce.
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
