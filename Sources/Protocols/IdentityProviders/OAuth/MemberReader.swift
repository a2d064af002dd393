package import GatehouseWire

/// Reads the members of a provider's entry, and notes every problem without quoting a value.
package struct MemberReader {
    private let members: AuthJSONObject
    package private(set) var findings: MemberFindings
    private var host: String?
    private var paths: [String: String] = [:]

    package init(_ members: AuthJSONObject, findings: MemberFindings = MemberFindings()) {
        (self.members, self.findings) = (members, findings)
    }

    package func has(_ name: String) -> Bool { member(name) != nil }

    package mutating func refuse(_ member: String, _ expected: String) { findings.add(member, expected) }

    package mutating func refuse(_ others: MemberFindings) { findings.add(others) }

    /// Replaces the host of every address that ``url(_:in:)`` reads afterwards.
    ///
    /// - Parameter paths: What follows the new host, for each former one.
    mutating func move(to host: String?, paths: [String: String]) {
        self.host = host.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.paths = paths
    }

    private func member(_ name: String) -> AuthJSON? { members[name].flatMap { $0.isNull ? nil : $0 } }

    package mutating func text(_ name: String) -> String? {
        guard let member = member(name) else { return nil }
        if let text = member.stringValue, !text.isEmpty { return text }
        refuse(name, "expected a text that is not empty")
        return nil
    }

    package mutating func flag(_ name: String) -> Bool? {
        guard let member = member(name) else { return nil }
        if member.boolValue == nil { refuse(name, "expected true or false") }
        return member.boolValue
    }

    package mutating func object(_ name: String) -> AuthJSONObject? {
        guard let member = member(name) else { return nil }
        if member.objectValue == nil { refuse(name, "expected an object") }
        return member.objectValue
    }

    /// An object of texts; empty if absent.
    package mutating func texts(_ name: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in object(name) ?? AuthJSONObject() {
            guard let text = value.stringValue else {
                refuse(name, "expected an object of texts")
                return [:]
            }
            texts[key] = text
        }
        return texts
    }

    /// An array of texts; nil if absent.
    package mutating func words(_ name: String) -> [String]? {
        guard let member = member(name) else { return nil }
        let words = member.arrayValue?.map(\.stringValue)
        guard let words, !words.contains(nil) else {
            refuse(name, "expected an array of texts")
            return nil
        }
        return words.compactMap(\.self)
    }

    /// - Returns: An empty text, after noting it, for a missing member.
    package mutating func required(_ name: String) -> String {
        if member(name) == nil { refuse(name, "is missing") }
        return text(name) ?? ""
    }

    /// A required address.
    package mutating func url(_ name: String) -> ProviderURL? {
        guard has(name) else {
            refuse(name, "is missing")
            return nil
        }
        guard let text = text(name) else { return nil }
        let url = ProviderURL(moved(text))
        if url == nil { refuse(name, "expected a web address such as https://id.example.org/token") }
        return url
    }

    private func moved(_ text: String) -> String {
        guard let host, let parts = URLParts(text) else { return text }
        let origin = "\(parts.scheme)://\(parts.host)\(parts.port.map { ":\($0)" } ?? "")"
        guard text.hasPrefix(origin) else { return text }
        return host + (paths[origin] ?? "") + text.dropFirst(origin.count)
    }

    mutating func path(_ name: String) -> ProfilePath? {
        guard let text = text(name) else { return nil }
        guard let path = ProfilePath(text) else {
            refuse(name, "expected a path such as data.0.id")
            return nil
        }
        return path
    }

    /// Reads `token_auth`; nil if absent.
    package mutating func sendsSecretInForm() -> Bool? {
        guard let text = text("token_auth") else { return nil }
        if let known = ["client_secret_post": true, "client_secret_basic": false][text] { return known }
        refuse("token_auth", "expected client_secret_basic or client_secret_post")
        return nil
    }

    mutating func emails() -> OAuthDescription.EmailList? {
        inner("emails") { reader in
            let (url, list, email) = (reader.url("url"), reader.path("list"), reader.path("email"))
            guard let url, let email, let primary = reader.path("primary"), let verified = reader.path("verified")
            else { return nil }
            return OAuthDescription.EmailList(
                url: url, list: list, email: email, primary: primary, verified: verified)
        }
    }

    mutating func idToken() -> OAuthDescription.IDTokenDescription? {
        inner("id_token") { reader in
            let (issuer, keys) = (reader.text("issuer"), reader.url("jwks"))
            let vouchesForEmail = reader.flag("email_verified") ?? false
            guard let issuer, let keys else { return nil }
            return OAuthDescription.IDTokenDescription(
                issuer: issuer, keys: keys, vouchesForEmail: vouchesForEmail)
        }
    }

    /// - Returns: nil, after noting it, for an object that lacks something.
    private mutating func inner<Value>(_ name: String, _ read: (inout MemberReader) -> Value?) -> Value? {
        guard let members = object(name) else { return nil }
        var reader = MemberReader(members, findings: MemberFindings())
        reader.move(to: host, paths: paths)
        let value = read(&reader)
        for sentence in reader.findings.sentences { refuse("\(name):", sentence) }
        if value == nil, reader.findings.isEmpty { refuse(name, "lacks a member") }
        return value
    }
}
