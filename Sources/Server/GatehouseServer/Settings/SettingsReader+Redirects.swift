import AuthServer
import Foundation
import GatehouseWire

extension SettingsReader {
    /// - Parameter externalURL: Validated; empty if invalid.
    mutating func redirects(externalURL: String) -> RedirectAllowList {
        let takesPatterns = flag(.redirectPatterns)
        let entries = takesPatterns ? RedirectEntry.patterns(text(.uriAllowList) ?? "") : list(.uriAllowList)
        if !takesPatterns, entries.contains(where: RedirectEntry.isPattern) {
            refuse(
                .uriAllowList,
                "has a pattern, but patterns are off, so it would match nothing: set "
                    + "\(Setting.redirectPatterns.environmentName) to true, or list whole addresses")
        } else if entries.contains(where: { !RedirectEntry.canMatch($0, asPattern: takesPatterns) }) {
            refuse(
                .uriAllowList,
                "expected addresses such as https://app.example.org/signed-in or boxscore://signed-in; patterns need "
                    + Setting.redirectPatterns.environmentName)
        }
        return RedirectAllowList(
            siteURL: siteURL() ?? Self.origin(of: externalURL), entries: entries, takesPatterns: takesPatterns)
    }

    /// Byte for byte, like all redirect URLs.
    private mutating func siteURL() -> String? {
        guard let text = given[.siteURL]?.text else { return nil }
        guard RedirectEntry.canMatch(text, asPattern: false), !text.contains("#") else {
            refuse(.siteURL, "expected an address such as https://app.example.org or boxscore://signed-in, without #")
            return nil
        }
        return text
    }

    /// `https://api.example.org:8443` for `https://api.example.org:8443/auth/v1`.
    static func origin(of url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        return String(url[..<(url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex)])
    }

    /// Unchanged: the provider compares the URL byte for byte.
    mutating func exactWebAddress(_ setting: Setting) -> String? {
        guard let text = given[setting]?.text else { return nil }
        if RedirectEntry.isWebAddress(text) { return text }
        refuse(setting, "expected a web address such as https://api.example.org/auth/v1/callback")
        return nil
    }
}

package enum RedirectEntry {
    /// false for invalid URLs, and for schemes whose content browsers execute.
    package static func canMatch(_ entry: String, asPattern: Bool) -> Bool {
        guard asPattern else { return isAddress(entry) }
        return (!isPattern(entry) && isAddress(entry)) || RedirectAllowList.canMatch(pattern: entry)
    }

    /// Excludes `?`, which begins a query, and an IPv6 address's brackets.
    package static func isPattern(_ entry: String) -> Bool {
        let parts = URLParts(entry)
        let searched = parts?.host.hasPrefix("[") == true ? parts?.rest ?? "" : entry
        return searched.utf8.contains { "*[{".utf8.contains($0) }
    }

    /// Splits at commas outside of braces.
    static func patterns(_ list: String) -> [String] {
        var (parts, depth) = ([""], 0)
        for character in list {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if character == ",", depth <= 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    static func isWebAddress(_ text: String) -> Bool {
        guard isAddress(text), let url = URL(string: text), ["http", "https"].contains(url.scheme ?? "") else {
            return false
        }
        return url.fragment == nil
    }

    private static func isAddress(_ text: String) -> Bool { RedirectAllowList(siteURL: text, entries: []).allows(text) }
}
