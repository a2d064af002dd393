public import Foundation

/// The admin API, for all accounts. Requires a client with the secret key: for servers, never for apps.
///
/// Calls throw as ``GatehouseClient`` describes, and `not_admin` without an administrator's key. The client's own
/// session stays unchanged.
///
/// ```swift
/// let client = try GatehouseClient(url: url, publishableKey: secretKey, storage: MemoryStorage())
/// let user = try await client.admin.createUser(
///     attributes: AuthAdminUserAttributes(email: "ada@example.com", emailConfirm: true))
/// let page = try await client.admin.listUsers(page: 1, perPage: 100)
/// ```
public struct GatehouseAdmin: Sendable {
    let caller: AuthCaller

    /// Returns an account.
    ///
    /// - Throws: `user_not_found`.
    public func user(_ id: UUID) async throws -> AuthUser { try await caller.user(AuthRequest("GET", path(id))) }

    /// Returns one page of accounts, newest first, without ``AuthUser/identities``.
    ///
    /// - Parameters:
    ///   - page: From 1.
    ///   - perPage: 1 to 1,000; by default the server's 50.
    public func listUsers(page: Int? = nil, perPage: Int? = nil) async throws -> UserPage {
        let query = [("page", page.map(String.init)), ("per_page", perPage.map(String.init))]
        let reply = try await caller.send(AuthRequest("GET", "/admin/users", query: query.map { ($0.0, $0.1) }))
        let users = try AuthCaller.read(reply, AuthUser.list(json:))
        return UserPage(users: users, total: reply.headers["x-total-count"].flatMap(Int.init))
    }

    /// Creates an account, without email and password policy.
    ///
    /// - Parameter attributes: At least an email address or telephone number.
    /// - Throws: `email_exists`, `phone_exists`, `validation_failed`.
    @discardableResult
    public func createUser(attributes: AuthAdminUserAttributes) async throws -> AuthUser {
        try await caller.user(AuthRequest("POST", "/admin/users", body: attributes.body))
    }

    /// Changes an account. A new password must satisfy the policy, and ends all the account's sessions.
    ///
    /// - Throws: `user_not_found`, `email_exists`, `phone_exists`, `weak_password`, `validation_failed`. Nothing
    ///   changed.
    @discardableResult
    public func updateUser(_ id: UUID, attributes: AuthAdminUserAttributes) async throws -> AuthUser {
        try await caller.user(AuthRequest("PUT", path(id), body: attributes.body))
    }

    /// Deletes an account.
    ///
    /// - Parameter shouldSoftDelete: Erases the data but reserves the id.
    /// - Throws: `user_not_found`.
    public func deleteUser(_ id: UUID, shouldSoftDelete: Bool = false) async throws {
        _ = try await caller.send(
            AuthRequest("DELETE", path(id), body: ["should_soft_delete": .bool(shouldSoftDelete)]))
    }

    private func path(_ id: UUID) -> String { "/admin/users/" + id.uuidString.lowercased() }
}

/// One page of accounts.
public struct UserPage: Hashable, Sendable {
    /// In the server's order.
    public let users: [AuthUser]
    /// The number of all accounts, if the server sent it.
    public let total: Int?
}

/// The fields that an administrator sets; nil keeps a field. Does not print the password.
public struct AuthAdminUserAttributes: Sendable {
    /// An address that no other account has.
    public var email: String?
    /// Digits, with or without `+`.
    public var phone: String?
    /// At most 1,024 bytes.
    public var password: String?
    /// Whether to mark the email address as confirmed.
    public var emailConfirm: Bool?
    /// Whether to mark the telephone number as confirmed.
    public var phoneConfirm: Bool?
    /// Merged at the top level; null deletes a key.
    public var userMetadata: AuthJSONObject?
    /// As ``userMetadata``, but users cannot change it.
    public var appMetadata: AuthJSONObject?
    /// Usually `authenticated`.
    public var role: String?
    /// Such as `24h`; `none` lifts a ban.
    public var banDuration: String?

    /// Omitted fields keep their values.
    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, emailConfirm: Bool? = nil,
        phoneConfirm: Bool? = nil, userMetadata: AuthJSONObject? = nil, appMetadata: AuthJSONObject? = nil,
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

    var body: [String: AuthJSON?] {
        [
            "email": email.json, "phone": phone.json, "password": password.json,
            "email_confirm": emailConfirm.map(AuthJSON.bool), "phone_confirm": phoneConfirm.map(AuthJSON.bool),
            "user_metadata": userMetadata.map(AuthJSON.object), "app_metadata": appMetadata.map(AuthJSON.object),
            "role": role.json, "ban_duration": banDuration.json,
        ]
    }
}

extension AuthAdminUserAttributes: Unprinted {
    public var description: String { "AdminUserAttributes" }
}

extension GatehouseClient {
    /// The admin API. Requires the secret key.
    public var admin: GatehouseAdmin { GatehouseAdmin(caller: caller) }
}
