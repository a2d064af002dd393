import Foundation
package import Gatehouse

/// Docs/terminal-client.md lists the members.
package struct ClientAnswer: Hashable, Sendable {
    /// An object.
    package let json: AuthJSON
    /// Empty, or ends with a line feed.
    package let text: String

    init(_ members: AuthJSONObject, _ text: String) {
        json = .object(members)
        self.text = text
    }
}

extension ClientAnswer {
    /// For `login` and `signup`.
    package static func signedIn(_ user: AuthUser, server: String) -> ClientAnswer {
        ClientAnswer(
            ["signed_in": true, "server": .string(server), "user": short(user)],
            "Signed in as \(name(user)) at \(server).\n")
    }

    /// For an address to confirm. Omits the user, whom the server may have made up.
    package static func checkMail(_ target: ClientTarget) -> ClientAnswer {
        ClientAnswer(
            ["signed_in": false, "server": .string(target.text), "user": .null],
            "Check your email, and enter its code with `gatehouse verify` to sign in at \(target.text).\n"
                + inboxLine(target))
    }

    /// Only an email was sent. The server does not reveal whether the address has an account.
    package static func mailed(_ target: ClientTarget) -> ClientAnswer {
        ClientAnswer(
            ["signed_in": false, "server": .string(target.text), "user": .null],
            "Enter the emailed code with the same command and --code-stdin.\n")
    }

    /// As ``mailed(_:)``.
    package static func texted(_ target: ClientTarget) -> ClientAnswer {
        ClientAnswer(
            ["signed_in": false, "server": .string(target.text), "user": .null],
            "Enter the texted code with the same command and --code-stdin.\n")
    }

    package static func recovered(_ user: AuthUser, server: String) -> ClientAnswer {
        ClientAnswer(
            ["signed_in": true, "server": .string(server), "user": short(user)],
            "Your password was changed. Signed in as \(name(user)) at \(server).\n")
    }

    private static func inboxLine(_ target: ClientTarget) -> String {
        target.inbox.map { "This `gatehouse dev` keeps its emails at \($0.printable)\n" } ?? ""
    }

    /// - Parameter isChecked: false for the last known values.
    package static func whoAmI(
        _ user: AuthUser, _ profile: ProfileSummary?, server: String, isChecked: Bool
    ) -> ClientAnswer {
        var about = short(user).objectValue ?? [:]
        let providers = user.appMetadata["providers"]?.arrayValue?.compactMap(\.stringValue) ?? []
        about["is_anonymous"] = .bool(user.isAnonymous)
        about["providers"] = .array(providers.map(AuthJSON.string))
        about["created_at"] = .string(user.createdAt.wire)
        about["former_email"] = user.formerEmail.map(AuthJSON.string)
        let setAside = user.setAside.map(\.name)
        if !setAside.isEmpty { about["set_aside"] = texts(setAside) }
        let members: AuthJSONObject = [
            "server": .string(server), "user": .object(about), "checked": .bool(isChecked),
            "profile": profile.map(short) ?? .null,
        ]
        var table = TextTable(["Signed in as", name(user)])
        if let firstName = profile?.firstName { table.add(["First name", firstName]) }
        table.add(["Account", user.id.uuidString.lowercased()])
        if let phone = user.phone, user.email != nil {
            table.add(["Phone number", CallingCode.formatted(phone).printable])
        }
        if !providers.isEmpty { table.add(["Signs in by", providers.joined(separator: ", ")]) }
        if let former = user.formerEmail { table.add(["Former email", former.printable]) }
        if !setAside.isEmpty { table.add(["Set aside", setAside.joined(separator: ", ").printable]) }
        table.add(["Server", server])
        return ClientAnswer(members, table.text)
    }

    package static func signedOut(_ user: AuthUser?, server: String, isRevoked: Bool) -> ClientAnswer {
        let sentence =
            if let user {
                isRevoked ? "Signed out \(name(user)) at \(server)." : "Signed out \(name(user)) on this machine only."
            } else {
                "Not signed in at \(server)."
            }
        return ClientAnswer(
            [
                "signed_in": false, "server": .string(server), "user": user.map(short) ?? .null,
                "revoked": .bool(isRevoked),
            ], sentence + "\n")
    }

    package static func deleted(_ user: AuthUser, server: String) -> ClientAnswer {
        ClientAnswer(
            ["deleted": true, "server": .string(server), "user": short(user)],
            "Deleted the account \(name(user)) at \(server).\n")
    }

    private static func short(_ profile: ProfileSummary) -> AuthJSON {
        let known: AuthJSONObject = ["first_name": text(profile.firstName), "data": .object(profile.data)]
        return .object(profile.others.merging(known) { $1 })
    }

    private static func short(_ user: AuthUser) -> AuthJSON {
        var about: AuthJSONObject = ["id": .string(user.id.uuidString.lowercased()), "email": text(user.email)]
        about["phone"] = user.phone.map { .string("+" + $0) }
        return .object(about)
    }

    static func name(_ user: AuthUser) -> String {
        user.email?.printable ?? user.phone.map { CallingCode.formatted($0).printable }
            ?? user.id.uuidString.lowercased()
    }
    static func text(_ text: String?) -> AuthJSON { text.map(AuthJSON.string) ?? .null }
    static func texts(_ texts: [String]) -> AuthJSON { .array(texts.map(AuthJSON.string)) }
}

extension AuthSetAsideCredential {
    fileprivate var name: String {
        switch kind {
        case .password: "password"
        case .passkey(_, let name): name.map { "passkey \($0)" } ?? "passkey"
        case .identity(_, let provider): provider
        }
    }
}
