public import Foundation
public import Gatehouse
public import GatehouseModel

/// Values for tests and previews, the same in every run.
public enum Fixtures {
    /// 2026-01-01T00:00:00Z.
    public static let date = Date(timeIntervalSince1970: 1_767_225_600)
    /// A password that satisfies every form.
    public static let password = "correct horse battery"

    /// An app's user agent on a phone.
    public static let userAgent = "Example/1.0 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2"

    /// A browser's user agent on a computer.
    public static let browserUserAgent =
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 "
        + "Safari/605.1.15"

    /// The server's explanations of permissions, by name.
    public static let scopes = ["scores:read": "Read your scores", "scores:write": "Change your scores"]

    /// An agent that has registered itself.
    public static let agent: OAuthAuthorizationClient = {
        var agent = OAuthAuthorizationClient(
            id: "5f0c7f0e-6a55-4f0e-9d0a-2b1a7b1c0001", name: "Scout", uri: "https://agent.example")
        (agent.host, agent.registrationType, agent.createdAt) = ("agent.example", .dynamic, date)
        return agent
    }()

    /// A UUID that ends with the number.
    public static func id(_ number: Int) -> UUID {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80 | bytes[0] & 0x3F, bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
                bytes[6], bytes[7]
            ))
    }

    /// A user as the auth server returns it.
    ///
    /// - Parameters:
    ///   - firstName: The name in the sign-up's metadata.
    ///   - identities: By default one with the email address.
    public static func user(
        _ number: Int = 1, email: String? = "ada@example.com", firstName: String? = "Ada",
        identities: [AuthUserIdentity]? = nil
    ) -> AuthUser {
        let identities =
            identities ?? [identity(number, of: number, .email, person: id(number).wire, email: email)]
        return AuthUser(
            id: id(number),
            appMetadata: [
                "provider": .string(identities.first?.provider ?? "email"),
                "providers": .array(identities.map { .string($0.provider) }),
            ],
            userMetadata: firstName.map { ["first_name": .string($0)] } ?? [:], email: email, identities: identities,
            createdAt: date, updatedAt: date)
    }

    /// A sign-in method.
    ///
    /// - Parameters:
    ///   - user: The account's number.
    ///   - person: The user's id at the provider.
    public static func identity(
        _ number: Int = 1, of user: Int = 1, _ provider: AuthProvider = .apple, person: String = "person-1",
        email: String? = "ada@example.com"
    ) -> AuthUserIdentity {
        AuthUserIdentity(
            id: person, identityID: id(1_000_000 + number), userID: id(user),
            identityData: email.map { ["email": .string($0)] } ?? [:],
            provider: provider.rawValue, email: email, createdAt: date, updatedAt: date, lastSignInAt: date)
    }

    /// A question about an account's address. No service knows its ticket.
    public static func linkQuestion(
        email: String = "ada@example.com", provider: AuthProvider = .google, signInMethods: [String] = ["password"],
        canRecover: Bool = true
    ) -> AuthLinkQuestion {
        AuthLinkQuestion(
            ticket: AuthLinkTicket("ticket-of-a-test"), expiresAt: date + 600, email: email,
            provider: provider.rawValue,
            signInMethods: signInMethods, canRecover: canRecover)
    }

    /// A session with invalid tokens.
    public static func session(_ user: AuthUser = user()) -> AuthSession {
        AuthSession(
            accessToken: "access-token-of-a-test", refreshToken: "refresh-token-of-a-test", expiresIn: 3_600,
            expiresAt: date.timeIntervalSince1970 + 3_600, user: user)
    }

    /// The gateway's response about the user.
    public static func account(
        _ number: Int = 1, email: String? = "ada@example.com", firstName: String? = "Ada", data: AuthJSONObject = [:],
        others: AuthJSONObject = [:]
    ) -> SignedInAccount {
        SignedInAccount(
            id: id(number), email: email,
            profile: ProfileSummary(
                id: id(number), firstName: firstName, data: data, createdAt: date, others: others))
    }

    /// A user as views show it.
    public static func authenticatedUser(
        _ number: Int = 1, email: String? = "ada@example.com", firstName: String? = "Ada", data: AuthJSONObject = [:],
        others: AuthJSONObject = [:]
    ) -> AuthenticatedUser {
        AuthenticatedUser(id: id(number), email: email, firstName: firstName, data: data, others: others)
    }
}

extension AuthProvider {
    static let email: AuthProvider = "email"
}

extension UUID {
    /// As in the API.
    var wire: String { uuidString.lowercased() }
}
