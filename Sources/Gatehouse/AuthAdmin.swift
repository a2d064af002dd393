public import Foundation

/// Manages all accounts. It needs a client made with the secret key, and so belongs on a server, never in an app.
///
/// Every call throws ``AuthClientError``; none touches the client's own session.
public struct AuthAdmin: Sendable {
    let caller: AuthCaller

    /// - Throws: ``AuthClientError``, `user_not_found` for an unknown id.
    public func user(_ id: UUID) async throws -> User { try await caller.user(AuthRequest("GET", path(id))) }

    /// One page of all accounts, the newest first. Their ``AuthUser/identities`` are not listed.
    ///
    /// - Parameters:
    ///   - page: From 1.
    ///   - perPage: The server's own default is 50.
    public func listUsers(page: Int? = nil, perPage: Int? = nil) async throws -> UserPage {
        let query = [("page", page.map(String.init)), ("per_page", perPage.map(String.init))]
        let reply = try await caller.send(AuthRequest("GET", "/admin/users", query: query.map { ($0.0, $0.1) }))
        let users = try AuthCaller.read(reply) { json throws(WireProblem) in
            guard let list = json["users"]?.arrayValue else { throw WireProblem("page.users: expected an array") }
            var users: [User] = []
            for user in list { users.append(try User(json: user)) }
            return users
        }
        return UserPage(users: users, total: reply.headers["x-total-count"].flatMap(Int.init))
    }

    @discardableResult
    /// Makes an account, without a mail. Strength rules do not apply to its password.
    public func createUser(attributes: AdminUserAttributes) async throws -> User {
        try await caller.user(AuthRequest("POST", "/admin/users", body: attributes.body))
    }

    /// A new password ends all of the person's sessions.
    @discardableResult
    public func updateUser(_ id: UUID, attributes: AdminUserAttributes) async throws -> User {
        try await caller.user(AuthRequest("PUT", path(id), body: attributes.body))
    }

    /// - Parameter shouldSoftDelete: Keeps an empty record, so that the id is not free.
    public func deleteUser(_ id: UUID, shouldSoftDelete: Bool = false) async throws {
        _ = try await caller.send(
            AuthRequest("DELETE", path(id), body: ["should_soft_delete": .bool(shouldSoftDelete)]))
    }

    private func path(_ id: UUID) -> String { "/admin/users/" + id.uuidString.lowercased() }
}

/// A page of accounts.
public struct UserPage: Hashable, Sendable {
    /// In the order of the server.
    public let users: [User]
    /// How many there are on all pages, if the server said so.
    public let total: Int?
}

/// What an administrator sets; nil keeps. It does not print the password.
public struct AdminUserAttributes: Sendable {
    /// Any address that is free.
    public var email: String?
    /// Digits, with or without `+`.
    public var phone: String?
    /// At most 72 bytes.
    public var password: String?
    /// Whether the address counts as confirmed.
    public var emailConfirm: Bool?
    /// Whether the number counts as confirmed.
    public var phoneConfirm: Bool?
    /// Merged at the top level; a null deletes its key.
    public var userMetadata: JSONObject?
    /// Merged at the top level; a null deletes its key. The person cannot change it.
    public var appMetadata: JSONObject?
    /// Normally `authenticated`.
    public var role: String?
    /// Such as `24h`, or `none` to lift a ban.
    public var banDuration: String?

    /// Everything that is not given is kept.
    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, emailConfirm: Bool? = nil,
        phoneConfirm: Bool? = nil, userMetadata: JSONObject? = nil, appMetadata: JSONObject? = nil,
        role: String? = nil, banDuration: String? = nil
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.emailConfirm = emailConfirm
        self.phoneConfirm = phoneConfirm
        self.userMetadata = userMetadata
        self.appMetadata = appMetadata
        self.role = role
        self.banDuration = banDuration
    }

    var body: [String: AnyJSON?] {
        [
            "email": email.json, "phone": phone.json, "password": password.json,
            "email_confirm": emailConfirm.map(AnyJSON.bool), "phone_confirm": phoneConfirm.map(AnyJSON.bool),
            "user_metadata": userMetadata.map(AnyJSON.object), "app_metadata": appMetadata.map(AnyJSON.object),
            "role": role.json, "ban_duration": banDuration.json,
        ]
    }
}

extension AdminUserAttributes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AdminUserAttributes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthClient {
    /// Calls that need the secret key.
    public var admin: AuthAdmin { AuthAdmin(caller: caller) }
}
