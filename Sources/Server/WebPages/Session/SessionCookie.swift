package import GatehouseWire
import HTTPTypes
import Hummingbird

/// AES-256-GCM under a server secret. Fails for changed bytes, another purpose, or a secret no longer configured.
package struct PageSeal: Sendable {
    let seal: @Sendable ([UInt8]) throws -> [UInt8]
    let open: @Sendable ([UInt8]) throws -> [UInt8]

    package init(
        seal: @escaping @Sendable ([UInt8]) throws -> [UInt8], open: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) {
        (self.seal, self.open) = (seal, open)
    }
}

/// Contains the encrypted ``WebSession``.
struct SessionCookie: Sendable {
    let seal: PageSeal
    let isSecure: Bool
    let site: Site

    /// Browsers refuse more than 4,096 bytes with name and attributes (RFC 6265bis §5.6).
    static let maximumLength = 3_900
    /// In seconds: 30 days, in the console 12 hours. The session may end earlier.
    private var lifetime: Int64 { site == .console ? WebSession.consoleLifetime : 2_592_000 }

    /// `__Host-` stops sibling domains from setting the cookie (RFC 6265bis §4.1.3.2), but needs HTTPS.
    var name: String { (isSecure ? "__Host-gatehouse-" : "gatehouse-") + site.rawValue }

    /// - Returns: nil without a cookie from this server.
    func read(_ request: Request) -> WebSession? {
        for field in request.headers[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: name.utf8), pair.dropFirst(name.utf8.count).first == UInt8(ascii: "=") else {
                    continue
                }
                return read(String(decoding: pair.dropFirst(name.utf8.count + 1), as: UTF8.self))
            }
        }
        return nil
    }

    private func read(_ value: String) -> WebSession? {
        guard value.utf8.count <= 8_192, let sealed = Base64URL.decode(value) else { return nil }
        // Ignored: without a readable cookie, the user signs in again.
        guard let bytes = try? seal.open(sealed), let json = try? JSONReader.read(bytes) else { return nil }
        return WebSession(json: json)
    }

    func field(_ session: WebSession) throws -> HTTPField {
        var value = try self.value(session)
        if value.utf8.count > Self.maximumLength {
            // The access token contains the user's metadata.
            var shorter = session
            shorter.tokens?.access = nil
            value = try self.value(shorter)
        }
        let end = session.tokens == nil && session.key == nil ? "" : "; Max-Age=\(lifetime)"
        // Users return to the account pages from providers and mails.
        let sameSite = site == .console ? "Strict" : "Lax"
        return HTTPField(
            name: .setCookie,
            value: "\(name)=\(value); Path=/; HttpOnly; SameSite=\(sameSite)\(end)" + (isSecure ? "; Secure" : ""))
    }

    private func value(_ session: WebSession) throws -> String {
        Base64URL.text(try seal.seal(Array(session.json.text.utf8)))
    }
}

/// Against CSRF. Each page encodes the token differently, so compression does not reveal it (BREACH).
enum FormToken {
    static let field = "form"

    static func text(_ token: [UInt8], pad: [UInt8]) -> String {
        Base64URL.text(pad + zip(token, pad).map { $0 ^ $1 })
    }

    static func matches(_ text: String?, _ token: [UInt8]) -> Bool {
        guard let brought = self.token(of: text), brought.count == token.count else { return false }
        return zip(brought, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// nil for a malformed text.
    static func token(of text: String?) -> [UInt8]? {
        guard let text, text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count % 2 == 0 else {
            return nil
        }
        return zip(bytes.prefix(bytes.count / 2), bytes.suffix(bytes.count / 2)).map { $0 ^ $1 }
    }
}
