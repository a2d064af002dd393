public import Foundation

/// The id of a request for access.
public struct OAuthAuthorizationID: Hashable, Sendable, CustomStringConvertible {
    /// A UUID in lower case. Supabase Auth's ids are 32 lower-case letters and digits.
    public let text: String

    /// nil for any other text.
    public init?(_ text: String) {
        if let id = UUIDText.canonical(text) {
            self.text = id
        } else {
            guard text.utf8.count == 32, text.utf8.allSatisfy(\.isLowerAlphanumeric) else { return nil }
            self.text = text
        }
    }

    /// Creates an id.
    public init(_ id: UUID) { text = id.uuidString.lowercased() }

    public var description: String { text }
}

/// The code that a television or terminal shows ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628), section 6.1).
public struct OAuthUserCode: Hashable, Sendable, CustomStringConvertible {
    /// In groups of four, such as `BCDF-GHJK`.
    public let text: String

    /// Reads a typed or scanned code, in any case, with spaces and hyphens anywhere.
    ///
    /// nil for more than 64 bytes, other characters, or fewer than 6 or more than 16 letters and digits.
    public init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        var symbols: [UInt8] = []
        for scalar in typed.unicodeScalars {
            if scalar.isASCII, UInt8(ascii: scalar).isAlphanumeric {
                symbols.append(UInt8(ascii: scalar))
            } else {
                let properties = scalar.properties
                guard properties.isWhitespace || properties.generalCategory == .dashPunctuation else { return nil }
            }
        }
        guard (6...16).contains(symbols.count) else { return nil }
        text = String(decoding: symbols, as: UTF8.self).uppercased().inGroups(separator: "-")
    }

    public var description: String { text }
}

/// What opens a request for access: a link, a scanned QR code or a push message.
public enum OAuthConsentLink: Hashable, Sendable {
    /// A browser waits at the consent page.
    case authorization(OAuthAuthorizationID)
    /// A device shows a code.
    case device(OAuthUserCode)

    /// Reads `authorization_id` or `user_code` in the query of a URL with any scheme, host and path.
    ///
    /// nil for more than 2,048 bytes, for several or invalid values, and for a URL that is a sign-in's answer, with
    /// `code`, `error` or `token_hash`.
    public init?(_ url: URL) {
        let text = url.absoluteString
        guard text.utf8.count <= URLParts.maximumLength,
            let whole = text.split(ascii: "#", maxSplits: 1, omittingEmptySubsequences: false).first
        else { return nil }
        let parts = whole.split(ascii: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var found: [OAuthConsentLink?] = []
        for pair in parts[1].split(ascii: "&") {
            let member = pair.split(ascii: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = member.count == 2 ? FormText.read(member[1].utf8) : nil
            switch String(member[0]) {
            case "authorization_id": found.append(value.flatMap(OAuthAuthorizationID.init).map(Self.authorization))
            case "user_code": found.append(value.flatMap(OAuthUserCode.init).map(Self.device))
            case "code", "error", "token_hash": return nil
            default: break
            }
        }
        guard found.count == 1, let only = found[0] else { return nil }
        self = only
    }

    /// Reads `authorization_id` of a push message's `userInfo`.
    ///
    /// nil unless it is an ``OAuthAuthorizationID``.
    public init?(payload: [AnyHashable: Any]) {
        guard let text = payload["authorization_id"] as? String, let id = OAuthAuthorizationID(text) else { return nil }
        self = .authorization(id)
    }
}
