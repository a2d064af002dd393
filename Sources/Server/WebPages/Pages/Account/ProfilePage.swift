import GatehouseWire
import HTTPServing
import HTTPTypes

/// Stored by the gateway.
struct ProfilePage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/profile") { try await $0.show() },
        takes("/profile") { try await $0.change() },
    ]

    mutating func show() async throws -> Outcome {
        guard pages.settings.hasGateway else { return .go(.home) }
        let user = try await visit.user()
        let profile = try await profile()
        return .page(page(user, profile) { profile[$0]?.stringValue ?? "" })
    }

    /// Sends only fields that the user changed: the others may have newer values.
    mutating func change() async throws -> Outcome {
        guard pages.settings.hasGateway else { return .go(.home) }
        let fields = visit.fields
        func text(_ name: String) -> AuthJSON { fields[name].map(AuthJSON.string) ?? .null }
        let entered: AuthJSONObject = [
            "first_name": text("first_name"), "name": text("name"), "timezone": text("timezone"),
        ]
        let change = entered.filter { text(Self.shown($0.key)) != $0.value }
        do {
            if !change.isEmpty { try await visit.callAsUser(.patch, "/api/v1/profile", change, api: .gateway) }
        } catch let refusal as CallRefusal where refusal.status == 400 {
            let page = page(try await visit.user(), .object(entered), refusal) { name in
                fields[Self.shown(name)] ?? ""
            }
            return .page(page)
        }
        visit.session.flash = .profileSaved
        return .go(.profile)
    }

    /// A hidden field with the original value.
    private static func shown(_ field: String) -> String { "shown_" + field }
}

extension ProfilePage {
    /// - Returns: null without a profile.
    mutating func profile() async throws -> AuthJSON {
        do {
            return try await visit.callAsUser(.get, "/api/v1/profile", api: .gateway)
        } catch let refusal as CallRefusal where refusal.status == 404 {
            return .null
        }
    }

    private func page(
        _ user: AuthUser, _ profile: AuthJSON, _ refusal: CallRefusal? = nil, stored: (String) -> String
    ) -> Page {
        func field(_ name: String, _ label: String, _ autocomplete: String, longest: Int) -> Field {
            var field = Field(
                kind: .text, name: name, label: label, value: profile[name]?.stringValue ?? "",
                autocomplete: autocomplete, maximumLength: longest)
            field.isRequired = false
            guard refusal?.field == "/\(name)" else { return field }
            (field.problem, field.isFocused) = (say("Please enter at most %@ characters.", String(longest)), true)
            return field
        }
        var zone = field("timezone", say("Time Zone"), "off", longest: ProfileLimits.timezone)
        zone.hint = say("For example, %@.", "Europe/Berlin")
        if zone.problem != nil { zone.problem = say("This time zone isn't known.") }
        let fields = [
            field("first_name", say("First Name"), "given-name", longest: ProfileLimits.firstName),
            field("name", say("Name"), "name", longest: ProfileLimits.name), zone,
        ]
        var page = visit.accountPage(say("Profile"))
        if refusal != nil, fields.allSatisfy({ $0.problem == nil }) {
            page.notice = .problem(say("The name or the time zone can't be used."))
        }
        page.blocks =
            [
                .soft(visit.emailSentence(of: user))
            ] + visit[HomePage.self].standing(of: user) + [
                .form(
                    Form(
                        action: Place.profile.path, fields: fields,
                        hidden: fields.map { (Self.shown($0.name), stored($0.name)) }, button: say("Save")))
            ]
        return page
    }
}
