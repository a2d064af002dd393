/// A child session's purpose. Newer servers may send other values.
public struct ChildSessionKind: RawRepresentable, Hashable, Sendable {
    /// The word on the wire, such as `widget`.
    public let rawValue: String

    /// Accepts unknown values, which a server refuses for a new session.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension ChildSessionKind {
    /// The app's widget.
    public static let widget = Self(rawValue: "widget")
    /// Another extension of the app, such as for notifications or sharing.
    public static let appExtension = Self(rawValue: "extension")
    /// The app on the user's watch.
    public static let watch = Self(rawValue: "watch")
    /// Another app of the same developer.
    public static let app = Self(rawValue: "app")
    /// The app on a television.
    public static let tv = Self(rawValue: "tv")

    package static let all: [ChildSessionKind] = [.widget, .appExtension, .watch, .app, .tv]
}

extension ChildSessionKind: CustomStringConvertible {
    public var description: String { rawValue }
}
