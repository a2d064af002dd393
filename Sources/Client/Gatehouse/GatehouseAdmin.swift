public import Foundation

/// The admin API, which manages all accounts. Requires a client with the secret key, and therefore belongs on a server,
/// never in an app.
///
/// Every call throws ``AuthClientError``, or `CancellationError` if the task is cancelled. A key that is not an
/// administrator's is refused with `not_admin`. No call affects the client's own session.
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
    /// - Throws: ``AuthClientError``, with the code `user_not_found` for an unknown id.
    public func user(_ id: UUID) async throws -> AuthUser { try await caller.user(AuthRequest("GET", path(id))) }

    /// Returns one page of all accounts, newest first, without ``AuthUser/identities``.
    ///
    /// - Parameters:
    ///   - page: The page number, from 1.
    ///   - perPage: The page size, from 1 to 1,000; nil uses the server's default of 50.
    /// - Throws: ``AuthClientError``, with the code `validation_failed` for a page size below 1.
    public func listUsers(page: Int? = nil, perPage: Int? = nil) async throws -> UserPage {
        let query = [("page", page.map(String.init)), ("per_page", perPage.map(String.init))]
        let reply = try await caller.send(AuthRequest("GET", "/admin/users", query: query.map { ($0.0, $0.1) }))
        let users = try AuthCaller.read(reply, AuthUser.list(json:))
        return UserPage(users: users, total: reply.headers["x-total-count"].flatMap(Int.init))
    }

    /// Creates an account without sending a mail. The password policy does not apply.
    ///
    /// - Parameter attributes: At least an email address or a telephone number.
    /// - Throws: ``AuthClientError``. Codes: `email_exists` or `phone_exists` for an address that another account has;
    ///   `validation_failed` for an invalid value.
    @discardableResult
    public func createUser(attributes: AuthAdminUserAttributes) async throws -> AuthUser {
        try await caller.user(AuthRequest("POST", "/admin/users", body: attributes.body))
    }

    /// Changes an account. A new password must satisfy the password policy, and ends all sessions of the account.
    ///
    /// - Throws: ``AuthClientError``. Codes: `user_not_found`, `email_exists`, `phone_exists`, `weak_password`, and
    ///   `validation_failed` for an invalid value. Nothing changed then.
    @discardableResult
    public func updateUser(_ id: UUID, attributes: AuthAdminUserAttributes) async throws -> AuthUser {
        try await caller.user(AuthRequest("PUT", path(id), body: attributes.body))
    }

    /// Deletes an account.
    ///
    /// - Parameter shouldSoftDelete: Erases the account but keeps its id in use.
    /// - Throws: ``AuthClientError``, with the code `user_not_found` for an unknown id.
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
    /// The number of accounts on all pages, if the server sent it.
    public let total: Int?
}

/// The fields that an administrator sets; nil keeps a field. Does not print the password.
public struct AuthAdminUserAttributes: Sendable {
    /// An email address that no other account has.
    public var email: String?
    /// Digits, with or without `+`.
    public var phone: String?
    /// At most 1,024 bytes.
    public var password: String?
    /// Whether the email address counts as confirmed.
    public var emailConfirm: Bool?
    /// Whether the telephone number counts as confirmed.
    public var phoneConfirm: Bool?
    /// Merged at the top level; null deletes a key.
    public var userMetadata: AuthJSONObject?
    /// Merged at the top level; null deletes a key. Users cannot change it.
    public var appMetadata: AuthJSONObject?
    /// Usually `authenticated`.
    public var role: String?
    /// A duration such as `24h`, or `none` to lift a ban.
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
