import GatehouseWire
import HTTPServing

/// The fields of an operator's forms about a user.
enum UserForm {
    /// In a field, before any call.
    struct Problem: Error { let sentence: String }

    private static let longest = 8_192

    /// - Parameter typed: Kept after a problem.
    static func fields(_ typed: Query, of user: FoundUser) -> [Field] {
        let json = user.json
        return [
            field("email", "Email", json["email"]?.stringValue ?? "", typed),
            field("phone", "Phone, with the country code", json["phone"]?.stringValue ?? "", typed),
            field("full_name", "Full name", json["user_metadata"]?["full_name"]?.stringValue ?? "", typed),
            field("role", "Role", json["role"]?.stringValue ?? "", typed),
            field("user_metadata", "Changes of the user metadata, as JSON", "", typed, hint: metadataHint),
            field("app_metadata", "Changes of the app metadata, as JSON", "", typed, hint: metadataHint),
        ]
    }

    private static let metadataHint = "Such as {\"plan\": \"team\"}. Other members stay; null removes one."

    /// The changes to the user's current values.
    ///
    /// - Throws: ``Problem``.
    static func changes(_ typed: Query, of user: FoundUser) throws -> AuthJSONObject {
        let json = user.json
        var changes: AuthJSONObject = [:]
        for name in ["email", "phone", "role"] {
            let text = text(name, typed)
            guard !text.utf8.elementsEqual((json[name]?.stringValue ?? "").utf8) else { continue }
            guard !text.isEmpty else { throw Problem(sentence: "An existing \(name) can be replaced, not removed.") }
            changes[name] = .string(text)
        }
        var data = try object("user_metadata", typed)
        let name = text("full_name", typed)
        if !name.utf8.elementsEqual((json["user_metadata"]?["full_name"]?.stringValue ?? "").utf8) {
            data["full_name"] = name.isEmpty ? .null : .string(name)
        }
        if !data.isEmpty { changes["user_metadata"] = .object(data) }
        let app = try object("app_metadata", typed)
        if !app.isEmpty { changes["app_metadata"] = .object(app) }
        guard !changes.isEmpty else { throw Problem(sentence: "Nothing was changed.") }
        return changes
    }

    static func newFields(_ typed: Query, isInvitation: Bool) -> [Field] {
        var email = field("email", "Email", "", typed)
        (email.isFocused, email.isRequired) = (true, isInvitation)
        let name = field("full_name", "Full name", "", typed)
        guard !isInvitation else { return [email, name] }
        var password = Field(kind: .password, name: "password", label: "Password")
        (password.autocomplete, password.isRequired) = ("new-password", false)
        password.hint = "Without one, the user signs in with an emailed code, or sets one by a password reset."
        var confirms = Field(kind: .checkbox, name: "confirm", label: "Mark the address as confirmed", value: "yes")
        confirms.isRequired = false
        return [email, field("phone", "Phone, with the country code", "", typed), name, password, confirms]
    }

    /// - Throws: ``Problem``.
    static func created(_ typed: Query) throws -> AuthJSONObject {
        let (email, phone, name) = (text("email", typed), text("phone", typed), text("full_name", typed))
        guard !email.isEmpty || !phone.isEmpty else { throw Problem(sentence: "Enter an email or a phone number.") }
        var members: AuthJSONObject = [:]
        if !email.isEmpty { members["email"] = .string(email) }
        if !phone.isEmpty { members["phone"] = .string(phone) }
        if !name.isEmpty { members["user_metadata"] = .object(["full_name": .string(name)]) }
        if let password = typed["password"], !password.isEmpty { members["password"] = .string(password) }
        if typed["confirm"] != nil {
            (members["email_confirm"], members["phone_confirm"]) = (.bool(!email.isEmpty), .bool(!phone.isEmpty))
        }
        return members
    }

    static func invited(_ typed: Query) -> AuthJSONObject {
        let name = text("full_name", typed)
        return [
            "email": .string(text("email", typed)),
            "data": .object(name.isEmpty ? [:] : ["full_name": .string(name)]),
        ]
    }

    static func banFields(_ typed: Query) -> [Field] {
        var duration = Field(kind: .choice, name: "duration", label: "For how long", value: typed["duration"] ?? "24h")
        duration.options = [
            ("1h", "An hour"), ("24h", "A day"), ("168h", "A week"), ("720h", "30 days"), ("876000h", "For good"),
        ].map { Field.Option(value: $0.0, title: $0.1) }
        let until = field(
            "until", "Or until, in UTC", "", typed, hint: "Such as 2026-12-24 or 2026-12-24T18:00:00Z.")
        return [duration, until, field("reason", "Reason, for operators only", "", typed)]
    }

    /// - Throws: ``Problem``.
    static func ban(_ typed: Query, at now: Instant) throws -> AuthJSONObject {
        var members: AuthJSONObject = ["ban_duration": .string((typed["duration"] ?? "24h").cut(to: 32))]
        let (reason, until) = (text("reason", typed).cut(to: 200), text("until", typed))
        if !reason.isEmpty { members["ban_reason"] = .string(reason) }
        guard !until.isEmpty else { return members }
        let end = Instant(until) ?? Instant(until + "T00:00:00Z")
        guard let end, end > now else {
            throw Problem(sentence: "The end must be a date or time in the future, such as 2026-12-24.")
        }
        // A hundred years, as for good.
        members["ban_duration"] = .string("\(min((end - now).components.seconds + 1, 3_153_600_000))s")
        return members
    }

    private static func text(_ name: String, _ typed: Query) -> String { (typed[name] ?? "").cut(to: longest) }

    private static func object(_ name: String, _ typed: Query) throws -> AuthJSONObject {
        let text = text(name, typed)
        guard !text.isEmpty else { return [:] }
        // Ignored: the sentence is more helpful.
        guard let object = (try? JSONReader.read(text))?.objectValue else {
            throw Problem(sentence: "The metadata must be a JSON object, such as {\"plan\": \"team\"}.")
        }
        return object
    }

    private static func field(
        _ name: String, _ label: String, _ value: String, _ typed: Query, hint: String? = nil
    ) -> Field {
        var field = Field(kind: .text, name: name, label: label, value: (typed[name] ?? value).cut(to: longest))
        (field.isRequired, field.hint, field.maximumLength) = (false, hint, longest)
        return field
    }
}
