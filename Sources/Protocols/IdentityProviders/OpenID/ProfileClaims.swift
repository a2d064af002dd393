import GatehouseWire
import JSONWebTokens

/// Wrong types and overlong values are treated as absent: no access decision depends on them.
struct ProfileClaims: Sendable {
    /// Bytes. Every access token contains the metadata.
    private static let maximumText = 512
    private static let relayDomain = "@privaterelay.appleid.com"

    let members: AuthJSONObject

    /// Not empty.
    func text(_ name: String, maximum: Int = maximumText) -> String? {
        guard let text = members[name]?.stringValue, !text.isEmpty, text.utf8.count <= maximum else { return nil }
        return text
    }

    /// Apple sends booleans and strings.
    func flag(_ name: String) -> Bool? {
        switch members[name] {
        case .bool(let flag): flag
        case .string(let text) where text.lowercased() == "true": true
        case .string(let text) where text.lowercased() == "false": false
        default: nil
        }
    }

    func time(_ name: String) -> Instant? {
        // Ignored: a malformed time is treated as absent.
        try? ClaimReader(members: members).time(name)
    }

    func number(_ name: String) -> AuthJSON? {
        switch members[name] {
        case .integer, .double: members[name]
        default: nil
        }
    }

    func readable(_ name: String) -> String? {
        let text = DisplayText.cut(members[name]?.stringValue ?? "", to: 100)
        return text.isEmpty ? nil : text
    }

    /// Text on both sides of an at sign, at most 255 bytes, no spaces.
    var email: String? {
        guard let text = text("email", maximum: 255), let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            at != text.startIndex,
            text.utf8.index(after: at) != text.endIndex,
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace })
        else { return nil }
        return text
    }

    var picture: String? {
        guard let url = text("picture", maximum: URLParts.maximumLength).flatMap(ProviderURL.init), url.isSecure
        else { return nil }
        return url.text
    }

    /// Apple's addresses are verified unless it states otherwise, as it does for some accounts at work and school.
    func vouchesForEmail(_ settings: ProviderSettings) -> Bool {
        switch settings.kind {
        case .apple: members["email_verified"].map(\.isNull) ?? true || flag("email_verified") == true
        case .google: flag("email_verified") ?? flag("verified_email") ?? false
        case .openID where settings.oauth?.idToken?.vouchesForEmail == true: flag("email_verified") ?? true
        case .openID:
            settings.vouchingClaim.flatMap(ProfilePath.init)?.isTrue(in: .object(members)) ?? flag("email_verified")
                ?? false
        }
    }

    /// By domain as well: other providers may send Apple's relay addresses.
    func isPrivateRelay(_ kind: ProviderSettings.Kind) -> Bool {
        if kind == .apple, flag("is_private_email") == true { return true }
        return email?.lowercased().hasSuffix(Self.relayDomain) ?? false
    }
}
