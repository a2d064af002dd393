import GatehouseWire

/// The profile with the app's own fields.
struct ProfileFacts {
    private var facts: [Fact] = []

    private static let known = [
        ("first_name", "First name"), ("name", "Name"), ("timezone", "Time zone"), ("avatar_url", "Picture"),
        ("favorite_teams", "Favorite teams"), ("is_premium", "Premium"), ("updated_at", "Profile changed"),
    ]
    private static let mostFields = 40

    /// - Parameter json: As the admin API has it.
    init(_ json: AuthJSON?) {
        guard let json else { return }
        for (name, title) in Self.known {
            guard let text = name == "updated_at" ? Moment.text(json[name]) : Self.text(json[name]) else { continue }
            facts.append(Fact(title, text))
        }
        let fields = (json["data"]?.objectValue ?? [:]).map { (name: $0.key, value: $0.value) }
        for field in fields.sorted(by: { $0.name < $1.name }).prefix(Self.mostFields) {
            if let text = Self.text(field.value) { facts.append(Fact(field.name.shown, text)) }
        }
        // Otherwise there is only the time.
        if facts.count == 1 { facts = [] }
    }

    var blocks: [Block] { facts.isEmpty ? [] : [.heading("Profile"), .facts(facts)] }

    /// nil for nothing.
    private static func text(_ json: AuthJSON?) -> String? {
        switch json {
        case nil, .null, .bool(false): nil
        case .bool(true): "Yes"
        case .string(let text): text.isEmpty ? nil : text.shown
        case .array(let elements):
            elements.isEmpty ? nil : elements.prefix(20).compactMap { Self.text($0) }.joined(separator: ", ").shown
        case .object(let members): members.isEmpty ? nil : json?.text.shown
        default: json?.text.shown
        }
    }
}
