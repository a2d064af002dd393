package import GatehouseWire
import IdentityProviders

/// A row of `providers.json`.
package struct TextProvider: Sendable {
    /// The value of `sms_provider`.
    package let name: String
    /// The provider's name for people.
    package let title: String
    let settings: [TextProviderSetting]
    let url: TextPattern
    let authorization: TextPattern?
    /// For each channel, alternatives; the first is used whose values exist.
    let forms: [TextChannel: [TextForm]]
    /// The provider's language tags, where they differ.
    let languages: [String: String]
    /// The way to the message's id in a response.
    let id: ProfilePath
    let errors: TextProviderErrors
    let check: TextProviderCheck?

    /// All rows in alphabetical order.
    package static let all: [TextProvider] = {
        // Ignored: the tests read every row.
        guard let rows = try? JSONReader.read(PackageResources.providers_json).objectValue else { return [] }
        return rows.keys.sorted().compactMap { name in rows[name].flatMap { TextProvider(name: name, $0) } }
    }()

    package func canSend(over channel: TextChannel) -> Bool { forms[channel] != nil }

    /// Whether the provider generates the codes, and checks them.
    package var generatesCodes: Bool { check != nil }

    private init?(name: String, _ row: AuthJSON) {
        guard let title = row["title"]?.stringValue, let url = row["url"]?.stringValue,
            let id = (row["id"]?.stringValue).flatMap(ProfilePath.init), let errors = TextProviderErrors(row),
            let settings = row["settings"]?.objectValue
        else { return nil }
        (self.name, self.title, self.id, self.errors) = (name, title, id, errors)
        self.url = TextPattern(url)
        self.settings = settings.keys.sorted().compactMap { key in
            (settings[key]?.stringValue).flatMap { TextProviderSetting(key, of: name, $0) }
        }
        authorization = (row["authorization"]?.stringValue).map(TextPattern.init)
        var forms: [TextChannel: [TextForm]] = [:]
        for channel in TextChannel.allCases {
            guard let alternatives = row[channel.rawValue]?.arrayValue?.map(TextForm.init) else { continue }
            forms[channel] = alternatives.compactMap(\.self)
        }
        self.forms = forms
        languages = (row["languages"]?.objectValue ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
        check = row["check"].flatMap(TextProviderCheck.init)
        guard self.settings.count == settings.count, forms[.sms]?.isEmpty == false else { return nil }
    }
}

/// A setting of a provider.
struct TextProviderSetting: Sendable {
    enum Form: String, Sendable {
        /// 1 to 64 letters, digits, - and _.
        case word
        /// Printable ASCII without spaces.
        case secret
        /// A phone number, a name or the SID of a messaging service.
        case sender
    }

    /// In patterns.
    let key: String
    /// Such as `sms_twilio_auth_token`.
    let name: String
    let form: Form
    let isOptional: Bool

    /// - Parameter description: A ``Form``, with `optional` after it if the setting is.
    fileprivate init?(_ key: String, of provider: String, _ description: String) {
        let words = description.split(ascii: " ").map(String.init)
        guard let form = words.first.flatMap(Form.init(text:)) else { return nil }
        (self.key, self.form, isOptional) = (key, form, words.contains("optional"))
        name = "sms_\(provider)_\(key)"
    }
}

extension TextProviderSetting.Form: CaseIterable {}

/// How a provider checks a code that it generated.
struct TextProviderCheck: Sendable {
    let url: TextPattern
    let form: TextForm
    let status: ProfilePath
    let approved: String
    let wrong: [String]
    /// Error codes: there is no code to check any more.
    let over: [String]

    fileprivate init?(_ json: AuthJSON) {
        guard let url = json["url"]?.stringValue, let form = json["form"].flatMap(TextForm.init),
            let status = (json["status"]?.stringValue).flatMap(ProfilePath.init),
            let approved = json["approved"]?.stringValue, let wrong = json["wrong"]?.arrayValue,
            let over = json["over"]?.arrayValue
        else { return nil }
        (self.url, self.form, self.status, self.approved) = (TextPattern(url), form, status, approved)
        (self.wrong, self.over) = (wrong.compactMap(\.stringValue), over.compactMap(\.stringValue))
    }
}
