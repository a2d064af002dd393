import Foundation
public import Gatehouse

/// Profiles in the user's metadata, without a gateway, as on hosted Supabase.
///
/// `first_name` is the first name, the object `data` has the custom fields, and other members are
/// ``AuthenticatedUser/others``. Concurrent changes of `data` overwrite each other.
///
/// ```swift
/// let account = AuthManager(
///     url: "https://abcd.supabase.co", publishableKey: "sb_publishable_…",
///     profile: { MetadataProfile(client: $0) { try await deleteThroughMyEdgeFunction() } })
/// ```
public struct MetadataProfile: ProfileSource {
    public let isReadOnly: Bool
    private let client: GatehouseClient
    private let delete: @Sendable () async throws -> Void

    /// Creates a source without making a request.
    ///
    /// - Parameters:
    ///   - isReadOnly: For an app without profiles: only the sign-up's name, without a request.
    ///   - deleteAccount: Deletes the account with all its data through your own route, which the Auth API lacks.
    ///     Throws as ``ProfileSource`` describes.
    public init(
        client: GatehouseClient, isReadOnly: Bool = false, deleteAccount: @escaping @Sendable () async throws -> Void
    ) {
        self.client = client
        self.isReadOnly = isReadOnly
        delete = deleteAccount
    }

    public func fetchMe() async throws -> SignedInAccount {
        Self.account(try await isReadOnly ? client.session.user : client.user())
    }

    public func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount {
        guard !isReadOnly, !change.isEmpty else {
            throw AuthClientError.refused(
                AuthRefusal(
                    status: 400, code: AuthErrorCode(rawValue: "BAD_REQUEST"), message: "There is nothing to change."))
        }
        var members = change.others
        switch change.firstName {
        case .keep: break
        case .clear: members["first_name"] = .null
        case .set(let text): members["first_name"] = Self.name(text).map(AuthJSON.string) ?? .null
        }
        if !change.data.isEmpty {
            var data = try await client.user().userMetadata["data"]?.objectValue ?? [:]
            data.apply(mergePatch: change.data)
            members["data"] = .object(data)
        }
        return Self.account(try await client.update(user: AuthUserAttributes(data: members)))
    }

    public func deleteAccount() async throws { try await delete() }

    private static func account(_ user: AuthUser) -> SignedInAccount {
        var others = user.userMetadata
        let name = others.removeValue(forKey: "first_name")?.stringValue.flatMap(Self.name)
        let data = others.removeValue(forKey: "data")?.objectValue ?? [:]
        return SignedInAccount(
            id: user.id, email: user.email,
            profile: ProfileSummary(
                id: user.id, firstName: name, data: data, createdAt: user.createdAt, others: others))
    }

    private static func name(_ text: String) -> String? {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : name
    }
}
