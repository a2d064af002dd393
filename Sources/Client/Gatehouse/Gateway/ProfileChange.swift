/// A member's change: ``keep`` is the default, ``clear`` erases, a string sets.
///
/// ```swift
/// try await manager.updateProfile(firstName: "Ada")
/// try await manager.updateProfile(firstName: .clear)
/// ```
public enum FieldChange: Hashable, Sendable, ExpressibleByStringLiteral {
    /// Omits the member.
    case keep
    /// Sets the member to null.
    case clear
    /// Sets the member. The server trims the text; an empty text clears it.
    case set(String)

    /// Sets the member.
    public init(stringLiteral value: String) { self = .set(value) }

    fileprivate var json: AuthJSON? {
        switch self {
        case .keep: nil
        case .clear: .null
        case .set(let text): .string(text)
        }
    }
}

/// Changes to the core of the user's profile. Omitted members keep their values.
///
/// ```swift
/// let change = ProfileChange(data: ["mood": "calm", "goal": .null])   // sets the mood, removes the goal
/// ```
public struct ProfileChange: Hashable, Sendable {
    /// At most 50 characters.
    public var firstName: FieldChange
    /// A JSON Merge Patch ([RFC 7396](https://www.rfc-editor.org/rfc/rfc7396)) of the custom fields: at most 16 KiB and
    /// 8 levels, before and after.
    public var data: AuthJSONObject
    /// Members configured on the server.
    public var others: AuthJSONObject

    /// Omitted members keep their values.
    public init(firstName: FieldChange = .keep, data: AuthJSONObject = [:], others: AuthJSONObject = [:]) {
        self.firstName = firstName
        self.data = data
        self.others = others
    }

    /// Whether the change keeps every value.
    public var isEmpty: Bool { self == ProfileChange() }

    var members: AuthJSONObject {
        var members = others
        if let firstName = firstName.json { members["first_name"] = firstName }
        if !data.isEmpty { members["data"] = .object(data) }
        return members
    }
}

/// Changes to the whole profile. Omitted members keep their values.
public struct ProfileEdit: Hashable, Sendable {
    /// The changes to the profile's core.
    public var change: ProfileChange
    /// At most 100 characters.
    public var name: FieldChange
    /// An https URL.
    public var avatarURL: FieldChange
    /// An IANA time zone, such as `Europe/Berlin`.
    public var timezone: FieldChange

    /// Omitted members keep their values.
    public init(
        _ change: ProfileChange = ProfileChange(), name: FieldChange = .keep, avatarURL: FieldChange = .keep,
        timezone: FieldChange = .keep
    ) {
        self.change = change
        self.name = name
        self.avatarURL = avatarURL
        self.timezone = timezone
    }

    var members: AuthJSONObject {
        var members = change.members
        for (name, change) in [("name", name), ("avatar_url", avatarURL), ("timezone", timezone)] {
            if let json = change.json { members[name] = json }
        }
        return members
    }
}
