import GatehouseWire

/// A redirect [pattern](https://supabase.com/docs/guides/auth/redirect-urls). Scheme, host, port, path and query are
/// compared separately, so none can replace another.
struct RedirectPattern: Sendable {
    private enum Part: Sendable {
        case absent
        case anything
        case like(Glob)
        case absentOrLike(Glob)

        func matches(_ text: String?) -> Bool {
            switch self {
            case .absent: text == nil
            case .anything: true
            case .like(let glob): text.map { glob.matches($0.utf8) } ?? false
            case .absentOrLike(let glob): text.map { glob.matches($0.utf8) } ?? true
            }
        }
    }

    private let scheme: Glob
    /// Absent for `app:/path`.
    private var host = Part.absent
    /// Absent means the scheme's default.
    private var port = Part.absent
    private var path = Part.anything
    private var query = Part.anything
    /// The host's `xn--` labels. No wildcard matches them, because browsers refuse some.
    private var encodedLabels: [Substring] = []

    func matches(_ url: RedirectURL) -> Bool {
        guard url.hasOrdinaryHost, scheme.matches(url.scheme.utf8), host.matches(url.hasAuthority ? url.host : nil),
            matchesPort(of: url), query.matches(url.query), url.encodedLabels.allSatisfy(encodedLabels.contains)
        else { return false }
        // `https://a.example` equals `https://a.example/`.
        return path.matches(url.path) || url.isSpecial && url.path == "/" && path.matches("")
    }

    private func matchesPort(of url: RedirectURL) -> Bool {
        if case .absent = port { return url.hasUsualPort }
        return port.matches(url.port)
    }
}

extension RedirectPattern {
    /// Per entry.
    private static let mostAlternatives = 64

    /// Expands braces: `{a,b}` yields two patterns. Empty if no URL could match.
    static func alternatives(_ entry: String) -> [RedirectPattern] {
        var open = [entry[...]]
        var done: [RedirectPattern] = []
        while let text = open.popLast() {
            guard open.count + done.count <= mostAlternatives else { return [] }
            guard let start = text.firstIndex(of: "{") else {
                let patterns = readings(text).compactMap(RedirectPattern.init)
                if patterns.isEmpty { return [] }
                done += patterns
                continue
            }
            guard let end = text[start...].firstIndex(of: "}") else { return [] }
            let choices = text[text.index(after: start)..<end].split(separator: ",", omittingEmptySubsequences: false)
            open += choices.map { text[..<start] + $0 + text[text.index(after: end)...] }
        }
        return done
    }

    private struct Reading {
        var scheme: Substring
        /// With the port; nil without `//`.
        var authority: Substring?
        var path: Substring
        var query: Substring?
    }

    /// Two for an entry with a `?` in its path: any character, or the beginning of the query.
    private static func readings(_ text: Substring) -> [Reading] {
        guard text != "**" else { return [Reading(scheme: "**", authority: "**", path: "")] }
        guard let colon = text.firstIndex(of: ":") else { return [] }
        var reading = Reading(scheme: text[..<colon], path: text[text.index(after: colon)...])
        if reading.path.hasPrefix("//") {
            let rest = reading.path.dropFirst(2)
            let authority = rest.prefix { $0 != "/" }
            (reading.authority, reading.path) = (authority, rest.dropFirst(authority.count))
        }
        guard let mark = reading.path.firstIndex(of: "?") else { return [reading] }
        var other = reading
        (other.path, other.query) = (reading.path[..<mark], reading.path[reading.path.index(after: mark)...])
        return [reading, other]
    }

    private init?(_ reading: Reading) {
        // The fragment is not compared.
        let all = [reading.scheme, reading.authority ?? "", reading.path, reading.query ?? ""]
        guard all.allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\\#".utf8.contains($0) } }),
            let scheme = Self.scheme(reading.scheme.lowercased())
        else { return nil }
        self.scheme = scheme
        let isOfWeb = RedirectURL.ports[reading.scheme.lowercased()] != nil
        if let authority = reading.authority {
            guard readAuthority(authority.lowercased()) else { return nil }
            // `https://**` matches every URL.
            if reading.path.isEmpty, authority.hasSuffix("**") { return }
        } else if reading.path.hasPrefix("**") {
            (host, port) = (.anything, .anything)
        } else if isOfWeb {
            return nil
        }
        guard let path = Glob(reading.path.utf8) else { return nil }
        self.path = .like(path)
        guard let text = reading.query else {
            query = Self.query(behind: reading.path)
            return
        }
        guard let glob = Glob(text.utf8) else { return nil }
        query = .like(glob)
    }

    /// A `*` or `**` at the path's end also matches the query.
    private static func query(behind path: Substring) -> Part {
        guard path.hasSuffix("*") else { return .absent }
        return path.hasSuffix("**") ? .anything : Glob("*".utf8).map(Part.absentOrLike) ?? .absent
    }

    private static func scheme(_ text: String) -> Glob? {
        guard !text.isEmpty, !URLParts.executedSchemes.contains(text),
            text.utf8.allSatisfy({ URLParts.isOfScheme($0) || isWild($0) })
        else { return nil }
        return Glob(text.utf8)
    }

    private static func isWild(_ byte: UInt8) -> Bool { "*?[]!".utf8.contains(byte) }

    /// - Returns: false if no URL could match.
    private mutating func readAuthority(_ text: String) -> Bool {
        let isIPv6 = text == "[::1]" || text.hasPrefix("[::1]:")
        let name = isIPv6 ? text.prefix(5) : text.prefix { $0 != ":" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        encodedLabels = labels.filter { $0.hasPrefix("xn--") }
        let after = text.dropFirst(name.count)
        if after.hasPrefix(":") {
            guard !after.dropFirst().isEmpty, let glob = Glob(after.dropFirst().utf8) else { return false }
            port = .like(glob)
        } else if name == "**" {
            port = .anything
        }
        if isIPv6 {
            host = .like(Glob(literal: name.utf8))
            return true
        }
        // `**` must be a whole label: `example.org**` would match every domain that begins with it.
        guard !name.contains("@"), labels.allSatisfy({ !$0.contains("**") || $0 == "**" }),
            let glob = Glob(name.utf8)
        else { return false }
        host = .like(glob)
        return true
    }
}
