public import Foundation

/// An account that is signed in on this device, or was until its session ended. See ``GatehouseClient/accounts``.
public struct DeviceAccount: Hashable, Sendable, Identifiable {
    /// The account's state on this device.
    public enum State: Hashable, Sendable {
        /// The account in use: the client's session is this account's.
        case active
        /// Signed in, and not in use. ``GatehouseClient/use(account:)`` activates it.
        case signedIn
        /// The session has ended. The user must sign in to this account again.
        case signedOut
    }

    /// The account's permanent id.
    public var id: UUID
    /// nil if the account has none.
    public var email: String?
    /// The name in the account's metadata; nil if it has none.
    public var name: String?
    /// Whether the account can be used.
    public var state: State

    /// The largest number of accounts on one device.
    public static let limit = 10

    /// For tests and previews; the client creates its own.
    public init(id: UUID, email: String? = nil, name: String? = nil, state: State) {
        self.id = id
        self.email = email
        self.name = name
        self.state = state
    }
}

extension DeviceAccount {
    init(_ user: AuthUser, _ state: State) {
        let name = ["first_name", "full_name", "name"].lazy
            .compactMap { user.userMetadata[$0]?.stringValue?.trimmingCharacters(in: .whitespacesAndNewlines) }
            .first { !$0.isEmpty }
        self.init(id: user.id, email: user.email, name: name, state: state)
    }
}
