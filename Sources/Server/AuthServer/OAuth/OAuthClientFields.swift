import AccountDomain
import Foundation
import GatehouseWire
import IdentityProviders

/// What makes a client's metadata unusable (RFC 7591 §3.2.2).
struct ClientMetadataProblem: Error {
    /// `invalid_redirect_uri` or `invalid_client_metadata`.
    let error: String
    let text: String

    init(_ text: String, error: String = "invalid_client_metadata") { (self.text, self.error) = (text, error) }
}

extension OAuthClientMetadata {
    /// - Parameters:
    ///   - rules: For an unverified client, which may not take the app's name; nil for an administrator's.
    ///   - isPublic: Without a given method.
    init(_ body: JSONMembers, for rules: OAuthRules?, isPublic: Bool = false) throws {
        guard let redirectURIs = try Self.texts("redirect_uris", body) else {
            throw ClientMetadataProblem("redirect_uris is required", error: "invalid_redirect_uri")
        }
        self.init(name: try body.string("client_name") ?? "", redirectURIs: redirectURIs)
        if isPublic { authentication = .none }
        if let method = try body.string("token_endpoint_auth_method") {
            guard let known = OAuthClient.Authentication(text: method) else {
                throw ClientMetadataProblem("token_endpoint_auth_method is not supported")
            }
            authentication = known
        }
        try read(body)
        try check(rules)
    }

    /// Members that are missing stay as they are.
    mutating func read(_ body: JSONMembers) throws {
        if let name = try body.string("client_name") { self.name = name }
        if let uris = try Self.texts("redirect_uris", body) { redirectURIs = uris }
        if let text = try body.string("client_uri") { uri = text.isEmpty ? nil : text }
        if let text = try body.string("logo_uri") { logo = text.isEmpty ? nil : text }
        if let names = try Self.texts("grant_types", body) {
            grants = try names.map { name in
                guard let grant = OAuthClient.Grant(text: name) else {
                    throw ClientMetadataProblem("grant_types has an unknown type")
                }
                return grant
            }
        }
        if let types = try Self.texts("response_types", body), types.count != 1 || types[0] != "code" {
            throw ClientMetadataProblem("response_types must be [\"code\"]")
        }
        if let text = try body.string("scope") {
            guard let read = OAuthScopes(text) else { throw ClientMetadataProblem("scope is malformed") }
            scopes = read.names.isEmpty ? nil : read
        }
    }

    func check(_ rules: OAuthRules?) throws {
        guard Self.isName(name) else {
            throw ClientMetadataProblem("client_name must have 1 to \(Self.longestName) plain characters")
        }
        if let rules, Lookalike.isLike(name, rules.appName) {
            throw ClientMetadataProblem("client_name looks like the name of the app itself")
        }
        guard !redirectURIs.isEmpty || !grants.contains(.authorizationCode),
            redirectURIs.count <= Self.mostRedirectURIs,
            redirectURIs.allSatisfy({ Self.isRedirectURI($0, isVouched: rules == nil) })
        else {
            throw ClientMetadataProblem(
                "redirect_uris must be 1 to \(Self.mostRedirectURIs) https, loopback or app addresses without fragment",
                error: "invalid_redirect_uri")
        }
        guard !grants.isEmpty else { throw ClientMetadataProblem("grant_types is empty") }
        for (name, url) in [("client_uri", uri), ("logo_uri", logo)] {
            guard let url else { continue }
            guard WebAddress.isAllowed(url) else { throw ClientMetadataProblem("\(name) must be an https address") }
        }
    }

    private static func texts(_ name: String, _ body: JSONMembers) throws -> [String]? {
        guard let value = body[name] else { return nil }
        guard let list = value.arrayValue, list.count <= 32, list.allSatisfy({ $0.stringValue != nil }) else {
            throw ClientMetadataProblem("\(name) must be a list of texts")
        }
        return list.compactMap(\.stringValue)
    }
}

/// Names that a person could take for another.
enum Lookalike {
    /// Both have at most a few hundred bytes.
    static func isLike(_ name: String, _ other: String) -> Bool {
        let (one, two) = (skeleton(name), skeleton(other))
        return two.count >= 3 && contains(one, two)
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    /// Letters and digits without case, accents and the usual tricks (Unicode Technical Standard 39 §4, in small).
    private static func skeleton(_ text: String) -> [UInt8] {
        let folded = text.cut(to: 256).decomposedStringWithCompatibilityMapping
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        let plain = folded.unicodeScalars.map { alike[$0.value] ?? $0 }.filter {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        return Array(String(String.UnicodeScalarView(plain)).utf8)
    }

    /// Cyrillic and Greek letters, and digits, that look like Latin ones.
    private static let alike: [UInt32: Unicode.Scalar] = [
        0x430: "a", 0x435: "e", 0x43E: "o", 0x440: "p", 0x441: "c", 0x443: "y", 0x445: "x", 0x456: "i", 0x455: "s",
        0x458: "j", 0x4BB: "h", 0x501: "d", 0x51B: "q", 0x51D: "w", 0x3B1: "a", 0x3BF: "o", 0x3C1: "p", 0x3BD: "v",
        0x3B9: "i", 0x3BA: "k", 0x3C4: "t", 0x3C5: "u", 0x30: "o", 0x31: "l", 0x69: "l", 0x131: "l", 0x33: "e",
        0x35: "s",
    ]
}
