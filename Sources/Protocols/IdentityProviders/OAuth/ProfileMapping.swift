package import GatehouseWire

/// The way to a value in a JSON document: names and indices with dots between them, such as `data.0.id`.
package struct ProfilePath: Hashable, Sendable {
    private let steps: [String]

    /// - Returns: nil for an empty step, or more than eight.
    package init?(_ text: String) {
        let steps = text.split(ascii: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...8).contains(steps.count), !steps.contains("") else { return nil }
        self.steps = steps
    }

    package func value(in document: AuthJSON) -> AuthJSON? {
        var value = document
        for step in steps {
            let next: AuthJSON? =
                if let elements = value.arrayValue {
                    Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                } else {
                    value.objectValue?[step]
                }
            guard let next, !next.isNull else { return nil }
            value = next
        }
        return value
    }

    /// A text that is not empty, or a whole number, as text.
    package func text(in document: AuthJSON) -> String? {
        switch value(in: document) {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// Whether the value is true, a number other than 0, or one of the texts `true`, `1` and a date such as
    /// `2026-03-01T12:00:00Z`.
    func isTrue(in document: AuthJSON) -> Bool {
        switch value(in: document) {
        case .bool(let flag): flag
        case .integer(let number): number != 0
        case .string(let text): text == "1" || text.lowercased() == "true" || Self.isDate(text)
        default: false
        }
    }
}

extension ProfilePath {
    private static func isDate(_ text: String) -> Bool {
        let start = text.utf8.prefix(10)
        return start.count == 10
            && start.enumerated().allSatisfy { index, byte in
                [4, 7].contains(index)
                    ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}

/// A text of a claim: a path, or a template such as `https://cdn.example.org/{id}/{avatar}.png`.
struct ProfileText: Sendable {
    /// Texts and paths in turn, beginning with a text.
    private let texts: [String]
    private let paths: [ProfilePath]

    init?(_ source: String) {
        guard source.contains(ascii: "{") else {
            guard let path = ProfilePath(source) else { return nil }
            (texts, paths) = (["", ""], [path])
            return
        }
        let pieces = source.split(ascii: "{", omittingEmptySubsequences: false)
        var (texts, paths) = ([String(pieces[0])], [ProfilePath]())
        for piece in pieces.dropFirst() {
            let halves = piece.split(ascii: "}", omittingEmptySubsequences: false)
            guard halves.count == 2, let path = ProfilePath(String(halves[0])) else { return nil }
            paths.append(path)
            texts.append(String(halves[1]))
        }
        (self.texts, self.paths) = (texts, paths)
    }

    /// - Returns: nil if one of the paths leads to no text.
    func text(in document: AuthJSON) -> String? {
        var result = texts[0]
        for (path, text) in zip(paths, texts.dropFirst()) {
            guard let value = path.text(in: document) else { return nil }
            result += value + text
        }
        return result
    }
}

/// Turns a provider's description of a user into the standard claims (OpenID Connect Core 1.0 §5.1).
struct ProfileMapping: Sendable {
    /// Whether the provider vouches for an address.
    private enum Verification: Sendable {
        case always(Bool)
        /// If all of these are true.
        case paths([ProfilePath])
    }

    static let names = ["sub", "name", "given_name", "family_name", "preferred_username", "picture", "email"]

    /// The alternatives for each claim; the first that is there is used.
    private let texts: [String: [ProfileText]]
    private var verification: Verification

    init?(_ members: AuthJSONObject, _ reader: inout MemberReader) {
        var texts: [String: [ProfileText]] = [:]
        var verification = Verification.always(false)
        for (name, value) in members {
            let sources = value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue) ?? []
            if name == "email_verified" {
                let paths = sources.map(ProfilePath.init)
                guard !paths.contains(nil), value.boolValue != nil || !paths.isEmpty else {
                    reader.refuse("claims", "expected email_verified to be true, false or a path")
                    return nil
                }
                verification = value.boolValue.map(Verification.always) ?? .paths(paths.compactMap(\.self))
                continue
            }
            let alternatives = sources.map(ProfileText.init)
            guard Self.names.contains(name), !alternatives.isEmpty, !alternatives.contains(where: { $0 == nil }) else {
                reader.refuse("claims", "expected paths for " + Self.names.joined(separator: ", "))
                return nil
            }
            texts[name] = alternatives.compactMap(\.self)
        }
        guard texts["sub"] != nil else { return nil }
        (self.texts, self.verification) = (texts, verification)
    }

    mutating func vouchesForNothing() { verification = .always(false) }

    /// The claims that the document has.
    func claims(of document: AuthJSON) -> AuthJSONObject {
        var claims = AuthJSONObject()
        for (name, alternatives) in texts {
            let text = alternatives.lazy.compactMap { $0.text(in: document) }.first
            claims[name] = text.map(AuthJSON.string)
        }
        if claims["email"] != nil {
            switch verification {
            case .always(let flag): claims["email_verified"] = .bool(flag)
            case .paths(let paths): claims["email_verified"] = .bool(paths.allSatisfy { $0.isTrue(in: document) })
            }
        }
        return claims
    }
}
