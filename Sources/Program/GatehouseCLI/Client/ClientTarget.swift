import Crypto
package import Foundation
import GatehouseWire

package struct ClientTarget: Hashable, Sendable {
    /// Without a trailing slash. The gateway is at `/v1`, the Auth API at `/auth/v1`.
    package let url: URL
    /// Publishable; empty if the server requires none.
    package let key: String
    /// For this user's `gatehouse dev`.
    package var inbox: String?

    /// - Parameter address: The root URL, or the Auth API's, which ends in `/auth/v1`.
    /// - Throws: ``ClientFailure`` for an invalid URL or key, and for a secret key.
    package init(address: String, key: String) throws(ClientFailure) {
        guard !key.hasPrefix("sb_secret_") else {
            throw .usage("That is a secret API key, which belongs on servers. Pass the publishable key.")
        }
        guard var parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            throw .usage("\(address.printable) is not a server URL such as https://accounts.example.com.")
        }
        (parts.scheme, parts.host) = (scheme, host)
        if parts.port == (scheme == "https" ? 443 : 80) { parts.port = nil }
        parts.path = Self.root(of: parts.path)
        guard let url = parts.url else { throw .usage("\(address.printable) is not a server URL.") }
        self.url = url
        self.key = key
    }

    private static func root(of path: String) -> String {
        func trimmed(_ text: Substring) -> Substring { text.hasSuffix("/") ? trimmed(text.dropLast()) : text }
        let path = trimmed(path[...])
        let suffix = "/auth/v1"
        return String(path.hasSuffix(suffix) ? trimmed(path.dropLast(suffix.count)) : path)
    }

    package var text: String { url.absoluteString }

    package var authURL: URL { url.appending(path: "auth/v1") }

    /// Differs per server, so that sessions can coexist.
    package var storageKey: String {
        "gatehouse-" + SHA256.hash(data: Array(text.utf8)).prefix(8).hexadecimal
    }
}
