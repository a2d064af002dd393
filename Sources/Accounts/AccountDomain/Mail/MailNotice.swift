package import GatehouseWire

package struct MailNotices: Sendable {
    package let kinds: Set<MailKind>
    /// Whether notices go only to proven addresses, not to all confirmed ones.
    package let needsProof: Bool
    /// The account page that reports an unknown device; nil without account pages.
    package let reportPage: String?

    package init(kinds: Set<MailKind> = [], needsProof: Bool = false, reportPage: String? = nil) {
        (self.kinds, self.needsProof, self.reportPage) = (kinds, needsProof, reportPage)
    }

    package func reach(_ user: User) -> Bool {
        guard user.times.deletedAt == nil, user.times.emailConfirmedAt != nil else { return false }
        return !needsProof || user.times.emailProvenAt != nil
    }
}

/// A scope, or the address of a resource.
package struct ClientAccess: Equatable, Sendable {
    package let name: String
    /// The operator's words for an own scope.
    package let text: String?

    package init(name: String, text: String? = nil) { (self.name, self.text) = (name, text) }

    var json: AuthJSON {
        var members: AuthJSONObject = ["name": .string(name)]
        members["text"] = text.map(AuthJSON.string)
        return .object(members)
    }

    init?(json: AuthJSON) {
        guard let name = json["name"]?.stringValue else { return nil }
        self.init(name: name, text: json["text"]?.stringValue)
    }
}

package struct MailNotice: Sendable {
    package let time: Instant
    /// In words; nil for an administrator.
    package var device: String?
    package var oldEmail: String?
    /// In E.164 without the plus sign.
    package var phone: String?
    package var oldPhone: String?
    /// A connected client's name, in its own words.
    package var client: String?
    /// A connected client's scopes and resources.
    package var access: [ClientAccess] = []
    /// The account page that removes a connected client, or reports a new device; nil without account pages.
    package var page: String?
    /// Of a new device. Not a ``MailContent/linkToken``, which the mailer checks, also in earlier releases.
    package var reportToken: Secret?
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
            "phone": phone.map(AuthJSON.string), "old_phone": oldPhone.map(AuthJSON.string),
            "client": client.map(AuthJSON.string), "access": access.isEmpty ? nil : .array(access.map(\.json)),
            "page": page.map(AuthJSON.string), "report_token": (reportToken?.reveal()).map(AuthJSON.string),
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
        (phone, oldPhone) = (json["phone"]?.stringValue, json["old_phone"]?.stringValue)
        (client, page) = (json["client"]?.stringValue, json["page"]?.stringValue)
        reportToken = (json["report_token"]?.stringValue).map(Secret.init)
        access = (json["access"]?.arrayValue ?? []).compactMap(ClientAccess.init)
        provider = json["provider"]?.stringValue
        factor = (json["factor"]?.stringValue).flatMap(Factor.Kind.init(text:))
        authenticator = json["authenticator"]?.stringValue
        removalAt = (json["removal_at"]?.intValue).map(Instant.init(microseconds:))
    }
}
