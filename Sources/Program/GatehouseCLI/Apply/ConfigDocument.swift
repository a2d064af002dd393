import AccountDomain
package import GatehouseServer
package import GatehouseWire

/// What `gatehouse apply` reads. Contains secrets.
package struct ConfigDocument: Sendable {
    /// nil without the section.
    package internal(set) var settings: [WantedSetting]?
    package internal(set) var rotation: WantedRotation?
    package internal(set) var administrators: [WantedAdministrator]?
}

package struct WantedSetting: Sendable {
    package enum Value: Sendable {
        /// Masked.
        case kept
        /// - Parameters:
        ///   - text: Empty removes the setting.
        ///   - isHidden: From a file or the environment.
        case text(_ text: String, isHidden: Bool)
        case entries([WantedEntry])
    }

    /// The setting's, or for a secret's file with `_file`.
    package let key: String
    package let setting: Setting
    package let line: Int
    package let value: Value

    /// Of which a file has one.
    var names: [String] { setting.isSecret ? [setting.key, setting.key + "_file"] : [setting.key] }
}

/// A provider or webhook.
package struct WantedEntry: Sendable {
    package let name: String
    package let line: Int
    /// An object. ``ShownSetting/mask`` keeps a whole member.
    package let value: AuthJSON
}

package struct WantedRotation: Sendable {
    package let age: Duration
    package let line: Int
}

package struct WantedAdministrator: Sendable {
    package let line: Int
    /// An email or ID.
    package let text: String
    let id: UserID?
    let email: EmailAddress?

    package init?(_ text: String, line: Int) {
        (self.line, id, email) = (line, UserID(text), EmailAddress(text))
        guard let name = id?.text ?? email?.text else { return nil }
        self.text = name
    }
}

package struct DocumentProblem: Hashable, Sendable {
    package let line: Int
    package let text: String

    package init(_ line: Int, _ text: String) { (self.line, self.text) = (line, text) }
}

package struct DocumentProblems: Error, Equatable, CustomStringConvertible {
    let name: String
    package let problems: [DocumentProblem]

    package var description: String {
        let lines = problems.sorted { $0.line < $1.line }.map { "  line \($0.line): \($0.text.printable)" }
        return "\(name) has \(lines.count == 1 ? "1 problem" : "\(lines.count) problems"):\n"
            + lines.joined(separator: "\n")
    }
}

/// Settings with entries that have names.
enum EntrySettings {
    static let all: [Setting] = [.openIDProviders, .oauthProviders, .webhooks]

    /// Others are masked, and may come from a file.
    static let shownMembers: [String] = [
        "name", "url", "events", "issuer", "client_id", "pkce", "scopes", "linking", "email_optional", "redirect_uri",
        "token_auth", "discovery_base", "authorization_parameters", "endpoints", "authorization", "token",
        "scope_separator", "profile", "profile_proof", "claims", "emails", "id_token",
    ]
}
