import AccountDomain
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The latest four accounts that this browser signed in to with a password.
struct DeviceCookie {
    private var marks: [Secret]

    private static let most = 4
    /// 400 days in seconds, the longest that browsers accept (RFC 6265bis §5.5).
    private static let lifetime = 34_560_000

    init(_ request: Request, isSecure: Bool) {
        let found = request.cookies(named: Self.name(isSecure: isSecure)).first ?? ""
        marks = found.split(ascii: ".", maxSplits: Self.most).prefix(Self.most).map { Secret(String($0)) }
    }

    func mark(of account: [UInt8], _ secrets: ServerSecrets) -> DeviceCookieValue? {
        marks.lazy.compactMap { DeviceCookieValue($0, of: account, secrets) }.first
    }

    /// Replaces the account's earlier mark.
    mutating func add(_ mark: DeviceCookieValue, of account: [UInt8], _ secrets: ServerSecrets) {
        let others = marks.filter { DeviceCookieValue($0, of: account, secrets) == nil }
        marks = Array(([mark.text] + others).prefix(Self.most))
    }

    /// `__Host-` stops sibling domains from setting the cookie; HTTPS only (RFC 6265bis §4.1.3.2).
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

    /// Pages cannot set these headers (Fetch §3.2, Fetch Metadata §2.3).
    func isOfPage(of origins: [String]) -> Bool {
        if headers[.fetchSite] == "same-origin" { return true }
        // Browsers before 2023 omit `Sec-Fetch-Site`, and over http it is sent to loopback only.
        guard let origin = headers[.origin]?.lowercased() else { return false }
        if let called = head.authority?.lowercased(), origin == "http://" + called || origin == "https://" + called {
            return true
        }
        return origins.contains { ($0.lowercased() + "/").hasPrefix(origin + "/") }
    }
}

extension HTTPField.Name {
    fileprivate static let fetchSite = Self("sec-fetch-site")!
}
