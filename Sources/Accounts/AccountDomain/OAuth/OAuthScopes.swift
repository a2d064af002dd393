package import GatehouseWire

/// A client's rights (RFC 6749 §3.3): names without duplicates, in the order of the request.
package struct OAuthScopes: Hashable, Sendable {
    package static let mostBytes = 1_024
    package static let most = 32
    package static let openID = "openid"
    package static let profile = "profile"
    package static let email = "email"
    package static let phone = "phone"
    /// OpenID Connect Core §5.4 and §11.
    package static let standard = [openID, profile, email, phone, "offline_access"]

    package let names: [String]

    /// nil for other characters than RFC 6749 allows, or beyond ``mostBytes`` or ``most``.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes else { return nil }
        var names: [String] = []
        for name in text.split(ascii: " ") where !names.contains(String(name)) { names.append(String(name)) }
        guard names.count <= Self.most, names.allSatisfy(Self.isName) else { return nil }
        self.names = names
    }

    package init(trusted names: [String]) { self.names = names }

    package var text: String { names.joined(separator: " ") }

    package func contains(_ name: String) -> Bool { names.contains(name) }

    package func covers(_ other: OAuthScopes) -> Bool { other.names.allSatisfy(contains) }

    package func joined(with other: OAuthScopes) -> OAuthScopes {
        OAuthScopes(trusted: names + other.names.filter { !contains($0) })
    }

    package static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "!") || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0)
            }
    }

    package static func == (left: OAuthScopes, right: OAuthScopes) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
