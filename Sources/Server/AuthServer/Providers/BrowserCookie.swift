import GatehouseWire
import HTTPTypes
import Hummingbird

/// Binds a provider sign-in to the browser that started it (RFC 6749 §10.12, RFC 9700 §4.7). A victim lured into an
/// attacker's sign-in does not have the cookie.
struct BrowserCookie {
    let secret: Secret

    /// In seconds: a flow's lifetime, plus clock differences.
    static let lifetime = 600

    /// - Returns: nil without a cookie that this server set.
    init?(_ request: Request, isSecure: Bool) {
        let found = request.cookies(named: Self.name(isSecure: isSecure)).first {
            Base64URL.decode(String($0))?.count == 32
        }
        guard let found else { return nil }
        secret = Secret(String(found))
    }

    init(randomBytes: (Int) -> [UInt8]) { secret = Secret(Base64URL.text(randomBytes(32))) }

    /// `__Host-` stops sibling domains from setting the cookie; HTTPS only (RFC 6265bis §4.1.3.2).
    private static func name(isSecure: Bool) -> String {
        isSecure ? "__Host-gatehouse-browser" : "gatehouse-browser"
    }

    /// `SameSite=None`, because Apple returns with a form POST from its own site.
    func field(isSecure: Bool, lifetime: Int = Self.lifetime) -> HTTPField {
        let policy = isSecure ? "Secure; SameSite=None" : "SameSite=Lax"
        return HTTPField(
            name: .setCookie,
            value: "\(Self.name(isSecure: isSecure))=\(secret.reveal()); Path=/; Max-Age=\(lifetime); HttpOnly; "
                + policy)
    }
}
