import AccountDomain
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The marks of a browser, one for each account that it has signed in to with a password; the latest four of them.
struct DeviceCookie {
    private var marks: [Secret]

    private static let most = 4
    /// 400 days, the longest that browsers keep a cookie (RFC 6265bis §5.5); in seconds.
    private static let lifetime = 34_560_000

    init(_ request: Request, isSecure: Bool) {
        let found = request.cookies(named: Self.name(isSecure: isSecure)).first ?? ""
        marks = found.split(ascii: ".", maxSplits: Self.most).prefix(Self.most).map { Secret(String($0)) }
    }

    func mark(of account: [UInt8], _ secrets: ServerSecrets) -> DeviceMark? {
        marks.lazy.compactMap { DeviceMark($0, of: account, secrets) }.first
    }

    /// Adds a mark, in the place of the one that the account has.
    mutating func add(_ mark: DeviceMark, of account: [UInt8], _ secrets: ServerSecrets) {
        let others = marks.filter { DeviceMark($0, of: account, secrets) == nil }
        marks = Array(([mark.text] + others).prefix(Self.most))
    }

    /// The prefix keeps neighbours under the same domain from setting it (RFC 6265bis §4.1.3.2); browsers take it over
    /// https alone.
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
    /// The values of the cookies with this name, in the order of the header.
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

    /// Whether a page of one of these origins asks in a browser, or one of the origin that the browser called. It says
    /// so (Fetch §3.2, Fetch Metadata §2.3), and no page can make it say anything else.
    func isOfPage(of origins: [String]) -> Bool {
        if headers[.fetchSite] == "same-origin" { return true }
        // Browsers before 2023 do not say it, and over http they say it to their own machine alone.
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
