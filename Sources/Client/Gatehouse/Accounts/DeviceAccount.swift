public import Foundation

/// An account signed in on this device, or whose session has ended. See ``GatehouseClient/accounts``.
public struct DeviceAccount: Hashable, Sendable, Identifiable {
    /// The account's state on this device.
    public enum State: Hashable, Sendable {
        /// In use: the client's session is this account's.
        case active
        /// Signed in but not in use. ``GatehouseClient/use(account:)`` activates it.
        case signedIn
        /// Its session has ended. The user must sign in again.
        case signedOut
    }

    /// The account's permanent id.
    public var id: UUID
    /// The account's email address.
    public var email: String?
    /// The account's telephone number, with `+`.
    public var phone: String?
    /// The name in the account's metadata.
    public var name: String?
    /// Whether the account can be used.
    public var state: State

    /// The maximum number of accounts per device.
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
        phone = user.phone.map { "+" + $0 }
    }
}
