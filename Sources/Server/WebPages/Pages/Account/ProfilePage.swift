import GatehouseWire
import HTTPServing
import HTTPTypes

// What the gateway and the export know of the user.
extension WebPages {
    @Sendable func showProfile(_ visit: inout Visit) async throws -> Outcome {
        guard settings.hasGateway else { return .go(.home) }
        let user = try await visit.user()
        let profile = try await visit.profile()
        return .page(visit.profilePage(user, profile) { profile[$0]?.stringValue ?? "" })
    }

    /// Changes the fields that the user changed. The page may be older than the other ones.
    @Sendable func changeProfile(_ visit: inout Visit) async throws -> Outcome {
        guard settings.hasGateway else { return .go(.home) }
        let fields = visit.fields
        func text(_ name: String) -> AnyJSON { fields[name].map(AnyJSON.string) ?? .null }
        let entered: JSONObject = [
            "first_name": text("first_name"), "name": text("name"), "timezone": text("timezone"),
        ]
        let change = entered.filter { text(Self.shown($0.key)) != $0.value }
        do {
            if !change.isEmpty { try await visit.callAsUser(.patch, "/api/v1/profile", change, api: .gateway) }
        } catch let refusal as CallRefusal where refusal.status == 400 {
            let page = visit.profilePage(try await visit.user(), .object(entered), refusal) { name in
                fields[Self.shown(name)] ?? ""
            }
            return .page(page)
        }
        visit.session.flash = .profileSaved
        return .go(.profile)
    }

    /// The hidden field with the value that a field had when its page was made.
    fileprivate static func shown(_ field: String) -> String { "shown_" + field }

    @Sendable func showData(_ visit: inout Visit) async throws -> Outcome {
        _ = try await visit.user()
        return .page(visit.dataPage())
    }

    /// Everything that is stored about the user, as JSON.
    @Sendable func download(_ visit: inout Visit) async throws -> Outcome {
        do {
            var record = try await visit.callAsUser(.get, "/user/export").objectValue ?? [:]
            if settings.hasGateway { record["profile"] = try await visit.profile() }
            return .file(Array((AnyJSON.object(record).text + "\n").utf8), name: "account-data.json")
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(visit.dataPage(.problem(visit.message(for: refusal))))
        }
    }

    @Sendable func showDeletion(_ visit: inout Visit) async throws -> Outcome {
        guard settings.hasGateway else { return .go(.home) }
        let user = try await visit.user()
        return .page(visit.deletionPage(user))
    }

    @Sendable func deleteAccount(_ visit: inout Visit) async throws -> Outcome {
        guard settings.hasGateway, visit.fields["sure"] == "yes" else { return .go(.delete) }
        try await visit.callAsUser(.delete, "/v1/auth/me", api: .gateway)
        visit.signOut(.accountDeleted)
        return .go(.signIn)
    }
}

extension Visit {
    /// - Returns: null without a profile.
    fileprivate mutating func profile() async throws -> AnyJSON {
        do {
            return try await callAsUser(.get, "/api/v1/profile", api: .gateway)
        } catch let refusal as CallRefusal where refusal.status == 404 {
            return .null
        }
    }

    /// - Parameters:
    ///   - refusal: Of the profile's change, for the message at its field.
    ///   - stored: The stored value of a field, as far as this page knows it.
    fileprivate func profilePage(
        _ user: AuthUser, _ profile: AnyJSON, _ refusal: CallRefusal? = nil, stored: (String) -> String
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
        zone.hint = say("Such as %@.", "Europe/Berlin")
        if zone.problem != nil { zone.problem = say("This time zone is not known.") }
        let fields = [
            field("first_name", say("First Name"), "given-name", longest: ProfileLimits.firstName),
            field("name", say("Name"), "name", longest: ProfileLimits.name), zone,
        ]
        var page = accountPage(say("Profile"))
        if refusal != nil, fields.allSatisfy({ $0.problem == nil }) {
            page.notice = .problem(say("The name or the time zone cannot be used."))
        }
        page.blocks =
            [
                .soft(say("Your email is %@.", user.email?.readableAddress ?? "–"))
            ] + standing(of: user) + [
                .form(
                    Form(
                        action: Place.profile.path, fields: fields,
                        hidden: fields.map { (WebPages.shown($0.name), stored($0.name)) }, button: say("Save")))
            ]
        return page
    }

    fileprivate func dataPage(_ notice: Notice? = nil) -> Page {
        var page = accountPage(say("Your Data"), notice)
        page.blocks = [
            .text(say("Download everything that is stored about you: account, profile, devices and history, as JSON.")),
            .form(Form(action: Place.data.path, button: say("Download My Data"))),
        ]
        return page
    }

    fileprivate func deletionPage(_ user: AuthUser) -> Page {
        var page = accountPage(say("Delete Account"))
        page.blocks = [
            .soft(say("Your email is %@.", user.email?.readableAddress ?? "–")),
            .text(say("This will permanently delete your account and all your data. This cannot be undone.")),
            .form(
                Form(
                    action: Place.delete.path,
                    fields: [Field(kind: .checkbox, name: "sure", label: say("I want to delete my account."))],
                    button: say("Delete Account"), style: .danger)),
        ]
        return page
    }
}
