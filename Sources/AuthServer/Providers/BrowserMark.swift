import GatehouseWire
import HTTPTypes
import Hummingbird

/// What tells one browser from another while it is at a provider (RFC 6749 §10.12, RFC 9700 §4.7): a cookie without
/// any meaning. Who leads somebody else's browser to the end of a sign-in that they began themselves comes without it.
struct BrowserMark {
    let secret: Secret

    /// From the start of a flow to its end, with room for the clock; in seconds.
    private static let lifetime = 600

    /// - Returns: nil when the browser has none, or none of ours.
    init?(_ request: Request, isSecure: Bool) {
        let name = Self.name(isSecure: isSecure)
        for field in request.headers[values: .cookie] {
            for pair in field.split(ascii: ";") {
                let parts = Substring(pair.utf8.drop { $0 == UInt8(ascii: " ") }).split(ascii: "=", maxSplits: 1)
                guard parts.count == 2, parts[0] == name, Base64URL.decode(String(parts[1]))?.count == 32 else {
                    continue
                }
                secret = Secret(String(parts[1]))
                return
            }
        }
        return nil
    }

    init(randomBytes: (Int) -> [UInt8]) { secret = Secret(Base64URL.text(randomBytes(32))) }

    /// The prefix keeps neighbours under the same domain from setting it (RFC 6265bis §4.1.3.2); browsers take it over
    /// https alone.
    private static func name(isSecure: Bool) -> String {
        isSecure ? "__Host-gatehouse-browser" : "gatehouse-browser"
    }

    /// `SameSite=None`, because Apple comes back with a form post from its own site.
    func field(isSecure: Bool) -> HTTPField {
        let policy = isSecure ? "Secure; SameSite=None" : "SameSite=Lax"
        return HTTPField(
            name: .setCookie,
            value: "\(Self.name(isSecure: isSecure))=\(secret.reveal()); Path=/; Max-Age=\(Self.lifetime); HttpOnly; "
                + policy)
    }
}
