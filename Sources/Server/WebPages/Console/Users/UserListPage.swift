import GatehouseWire
import HTTPServing
import HTTPTypes

/// Costs the same for any number of accounts: bounded counts, and a cursor.
struct UserListPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/users") { try await $0.show() }
    ]

    mutating func show() async throws -> Outcome {
        var filter = UserFilter(visit.fields)
        // Ignored: without the settings, the filter offers email only.
        let offer = try? await visit.offer()
        filter.methods += (offer?.hasPhone == true ? ["phone"] : []) + (offer?.providers ?? [])
        let json: AuthJSON
        do {
            json = try await callAsAdmin(.get, "/admin/search/users?" + filter.query(at: pages.now()))
        } catch let refusal as AdminRefusal where refusal.cause.code == .validationFailed {
            return .page(
                Page(
                    "Users", filter: filter,
                    .problem("The server cannot search for this text. Change it, or show all users.")))
        }
        var table = Table(
            caption: "Users", columns: ["User", "Name", "State", "Methods", "Created", "Last seen"], style: .users)
        table.rows = (json["users"]?.arrayValue ?? []).map { FoundUser($0).cells(at: pages.now()) }
        table.sort = filter.sort(column: 4)
        table.next = json["next"]?.stringValue.map { filter.address(after: $0) }
        table.empty =
            table.next != nil
            ? "No match yet. Select Next to keep searching."
            : filter.isUnfiltered ? "No users yet." : "No users match. \(filter.hint)"
        var page = Page("Users", filter: filter, table)
        page.blocks.insert(.actions(UserCounts(json).links(shown: filter)), at: 0)
        if json["is_cut"]?.boolValue == true {
            page.blocks.append(.soft("More users have this number or ID. Add digits to find them."))
        }
        if json["is_incomplete"]?.boolValue == true {
            page.blocks.append(
                .soft("After the upgrade, older users' names are still being indexed: some may be missing."))
        }
        return .page(page)
    }
}

/// As the admin API counts: exact, about, or at least.
private struct UserCounts {
    private let json: AuthJSON?

    init(_ json: AuthJSON?) { self.json = json }

    func links(shown filter: UserFilter) -> [Link] {
        let all = Link(
            title: mark(filter.isUnfiltered) + text("total", "user"), address: ConsolePlace.users.path)
        return [all]
            + ["unconfirmed", "banned", "anonymous", "deleted"].compactMap { state in
                let isShown = filter.hasOnly(state)
                guard isShown || number(state) > 0 else { return nil }
                return Link(
                    title: mark(isShown) + text(state, nil), address: "\(ConsolePlace.users.path)?state=\(state)")
            }
    }

    private func mark(_ isShown: Bool) -> String { isShown ? "✓ " : "" }

    private func number(_ name: String) -> Int { Int(json?["counts"]?[name]?["count"]?.intValue ?? 0) }

    /// `1,234 users`, `about 1,200,000 users`, `1,000+ unconfirmed`.
    private func text(_ name: String, _ noun: String?) -> String {
        let (number, precision) = (number(name), json?["counts"]?[name]?["precision"]?.stringValue)
        let unit = noun.map { number == 1 ? $0 : $0 + "s" } ?? name
        let figure = Figures.count(number)
        switch precision {
        case "about": return "about \(figure) \(unit)"
        case "at_least": return "\(figure)+ \(unit)"
        default: return "\(figure) \(unit)"
        }
    }
}

extension Page {
    fileprivate init(_ title: String, filter: UserFilter, _ table: Table? = nil, _ notice: Notice? = nil) {
        self.init(title, [.actions(NewUserPage.links), .filters(filter.form)])
        self.notice = notice
        if let table { blocks.append(.table(table)) }
    }

    fileprivate init(_ title: String, filter: UserFilter, _ notice: Notice) {
        self.init(title, filter: filter, nil, notice)
    }
}

struct UserFilter {
    private let text, method, state, seen, order, after: String
    /// To choose from.
    var methods = ["email"]

    init(_ fields: Query) {
        func field(_ name: String) -> String { (fields[name] ?? "").cut(to: 256) }
        (text, method, state) = (field("q"), field("method"), field("state"))
        (seen, order) = (field("seen"), field("order") == "oldest" ? "oldest" : "")
        after = (fields["after"] ?? "").cut(to: 1_024)
    }

    var isUnfiltered: Bool { [text, method, state, seen].allSatisfy(\.isEmpty) }

    func hasOnly(_ state: String) -> Bool {
        self.state == state && [text, method, seen].allSatisfy(\.isEmpty)
    }

    /// The next step after a search without a match.
    var hint: String {
        text.isEmpty
            ? "Change or remove a filter."
            : "Search for a name, the beginning of an email or of one of its parts, a phone number, or the ID of a user (or its "
                + "first 8 digits), session, provider account or request."
    }

    /// A text's matches are sorted by it.
    func sort(column: Int) -> Table.Sort? {
        guard text.isEmpty else { return nil }
        let query = [("method", method), ("state", state), ("seen", seen), ("order", order.isEmpty ? "oldest" : "")]
        return Table.Sort(
            column: column, isAscending: !order.isEmpty, other: "\(ConsolePlace.users.path)?\(Self.encoded(query))")
    }

    private static let states = ["active", "unconfirmed", "banned", "anonymous", "deleted"]
    /// Days since the last sign-in. Negative: longer ago.
    private static let times: [(value: String, title: String, days: Int)] = [
        ("day", "in the last 24 hours", 1), ("week", "in the last 7 days", 7), ("month", "in the last 30 days", 30),
        ("quarter-ago", "not in the last 90 days", -90),
    ]

    /// For the admin API.
    func query(at now: Instant) -> String {
        var query = [
            ("q", text), ("method", method), ("state", state), ("order", order), ("after", after), ("limit", "25"),
            ("counts", "true"),
        ]
        if let time = Self.times.first(where: { $0.value == seen }) {
            let moment = "\(now - .seconds(86_400 * abs(time.days)))"
            query.append((time.days > 0 ? "seen_after" : "seen_before", moment))
        }
        return Self.encoded(query)
    }

    func address(after: String) -> String {
        let query = [
            ("q", text), ("method", method), ("state", state), ("seen", seen), ("order", order), ("after", after),
        ]
        return "\(ConsolePlace.users.path)?\(Self.encoded(query))"
    }

    private static func encoded(_ query: [(String, String)]) -> String {
        query.filter { !$0.1.isEmpty }.map { "\($0.0)=\(FormText.escape($0.1))" }.joined(separator: "&")
    }

    var form: Filters {
        var search = Field(kind: .text, name: "q", label: "Email, phone, name or ID", value: text)
        (search.isFocused, search.maximumLength) = (true, 256)
        let isWhole = isUnfiltered && after.isEmpty
        return Filters(
            action: ConsolePlace.users.path, search: search,
            choices: [
                choice("method", "Method", method, methods.map { ($0, ProviderTitle.text(of: $0)) }),
                choice("state", "State", state, Self.states.map { ($0, $0) }),
                choice("seen", "Last seen", seen, Self.times.map { ($0.value, $0.title) }),
            ], whole: isWhole ? nil : ConsolePlace.users.path)
    }

    private func choice(_ name: String, _ label: String, _ value: String, _ known: [(String, String)]) -> Field {
        var options = [("", "Any")] + known
        // The URL can name an unlisted provider.
        if !options.contains(where: { $0.0 == value }) { options.append((value, value.shown)) }
        var field = Field(kind: .choice, name: name, label: label, value: value)
        field.options = options.map { Field.Option(value: $0.0, title: $0.1) }
        return field
    }
}

/// From the search or the admin API.
struct FoundUser {
    let json: AuthJSON

    init(_ json: AuthJSON) { self.json = json }

    var id: String { json["id"]?.stringValue ?? "" }
    var email: String? { json["email"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    var isAnonymous: Bool { json["is_anonymous"]?.boolValue ?? false }
    var isDeleted: Bool { json["deleted_at"]?.stringValue != nil }
    var isConfirmed: Bool {
        json["email_confirmed_at"]?.stringValue != nil || json["phone_confirmed_at"]?.stringValue != nil
    }

    func isBanned(at now: Instant) -> Bool {
        (json["banned_until"]?.stringValue).flatMap { Instant($0) }.map { $0 > now } ?? false
    }

    var name: String {
        let phone = json["phone"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        return (email ?? phone.map(CallingCode.formatted) ?? (isAnonymous ? "Guest \(id.prefix(8))" : id)).shown
    }

    /// In the search's answer, or in the metadata.
    var fullName: String? {
        let metadata = json["user_metadata"]
        func text(_ name: String) -> String? {
            metadata?[name]?.stringValue.map(\.shown).flatMap { $0.isEmpty ? nil : $0 }
        }
        let parts = [text("first_name") ?? text("given_name"), text("last_name") ?? text("family_name")]
        let joined = parts.compactMap(\.self).joined(separator: " ")
        let found = json["full_name"]?.stringValue.map(\.shown) ?? text("full_name") ?? text("name") ?? joined
        return found.isEmpty ? nil : found
    }

    /// The name with the email, or whichever there is.
    var title: String { fullName.map { "\($0) (\(name))" } ?? name }

    var path: String { "\(ConsolePlace.users.path)/\(FormText.escape(id))" }

    func badges(at now: Instant) -> [Badge] {
        if isDeleted { return [Badge(text: "deleted", tone: .bad)] }
        if isBanned(at: now) { return [Badge(text: "banned", tone: .bad)] }
        if isAnonymous { return [Badge(text: "anonymous")] }
        // The search omits absent members, and a phone-only account has no address to confirm.
        if email != nil, !isConfirmed { return [Badge(text: "unconfirmed")] }
        return [Badge(text: "active", tone: .good)]
    }

    fileprivate func cells(at now: Instant) -> [Cell] {
        let providers = (json["providers"]?.arrayValue ?? []).prefix(8).compactMap(\.stringValue)
        return [
            Cell(name, address: path), Cell(fullName ?? "–"), Cell(badges(at: now)),
            Cell(providers.isEmpty ? "–" : providers.map(\.shown).joined(separator: ", ")),
            Cell(Moment.text(json["created_at"])), Cell(Moment.text(json["last_sign_in_at"])),
        ]
    }
}

enum Moment {
    /// UTC, to the minute: `2026-11-23 22:50`, or a dash.
    static func text(_ json: AuthJSON?) -> String {
        guard let text = json?.stringValue, let moment = Instant(text) else { return "–" }
        let shown = "\(moment)".split(ascii: "T")
        return "\(shown[0]) \(shown.count > 1 ? String(shown[1]).cut(to: 5) : "")"
    }
}
