import AccountDomain
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The device marks of a browser: one for each account that it signed in to with a password, at most the latest four.
struct DeviceCookie {
    private var marks: [Secret]

    private static let most = 4
    /// 400 days in seconds, the longest lifetime that browsers accept (RFC 6265bis §5.5).
    private static let lifetime = 34_560_000

    init(_ request: Request, isSecure: Bool) {
        let found = request.cookies(named: Self.name(isSecure: isSecure)).first ?? ""
        marks = found.split(ascii: ".", maxSplits: Self.most).prefix(Self.most).map { Secret(String($0)) }
    }

    func mark(of account: [UInt8], _ secrets: ServerSecrets) -> DeviceCookieValue? {
        marks.lazy.compactMap { DeviceCookieValue($0, of: account, secrets) }.first
    }

    /// Adds a mark, which replaces the account's earlier one.
    mutating func add(_ mark: DeviceCookieValue, of account: [UInt8], _ secrets: ServerSecrets) {
        let others = marks.filter { DeviceCookieValue($0, of: account, secrets) == nil }
        marks = Array(([mark.text] + others).prefix(Self.most))
    }

    /// The `__Host-` prefix keeps sibling domains from setting the cookie (RFC 6265bis §4.1.3.2). Browsers accept it
    /// over HTTPS only.
    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-gatehouse-device" : "gatehouse-device" }

    func field(isSecure: Bool) -> HTTPField {
        let value = marks.map { $0.reveal() }.joined(separator: ".")
        return HTTPField(
            name: .setCookie,
            value: "\(Self.name(isSecure: isSecure))=\(value); Path=/; Max-Age=\(Self.lifetime); HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : ""))
    }
}

extension Request {
    /// The values of all cookies with this name, in header order.
    func cookies(named name: String) -> [Substring] {
        headers[values: .cookie].flatMap { field in
            field.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: name.utf8), pair.dropFirst(name.utf8.count).first == UInt8(ascii: "=") else {
                    return nil
                }
                return Substring(pair.dropFirst(name.utf8.count + 1))
            }
        }
    }

    /// Whether a browser made the request for a page of one of these origins, or of the origin of the request's URL.
    /// Pages cannot set the headers that say so (Fetch §3.2, Fetch Metadata §2.3).
    func isOfPage(of origins: [String]) -> Bool {
        if headers[.fetchSite] == "same-origin" { return true }
        // Browsers before 2023 do not send it, and over http it is sent to loopback addresses only.
        guard let origin = headers[.origin]?.lowercased() else { return false }
        if let called = head.authority?.lowercased(), origin == "http://" + called || origin == "https://" + called {
            return true
        }
        return origins.contains { ($0.lowercased() + "/").hasPrefix(origin + "/") }
    }
}

extension HTTPField.Name {
    /// Fetch Metadata Request Headers §2.3.
    fileprivate static let fetchSite = Self("sec-fetch-site")!
}
