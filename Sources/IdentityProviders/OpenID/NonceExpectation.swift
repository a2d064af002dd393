import Crypto
import GatehouseWire

/// What the nonce of an ID token is compared with.
package enum NonceExpectation: Sendable {
    /// We sent it to the provider ourselves: the token has to have exactly this.
    case sent(String)
    /// The app says that this was its nonce. Nil or empty: it says that there was none.
    case presented(String?)
}

extension NonceExpectation {
    /// - Parameter found: The token's `nonce`; nil or empty when it has none.
    func check(_ found: String?, _ settings: ProviderSettings) throws(IdentityRejection) {
        let found = found ?? ""
        switch self {
        case .sent(let nonce):
            guard !found.isEmpty else { throw .nonceOnOneSide }
            guard Self.isSame(found, nonce) else { throw .nonceMismatch(seen: NonceForm(of: found)) }
        case .presented(let nonce):
            guard !settings.skipsNonceCheck else { return }
            let nonce = nonce ?? ""
            guard found.isEmpty == nonce.isEmpty else { throw .nonceOnOneSide }
            guard !found.isEmpty else { return }
            let fits = settings.nonceForms.contains { form in
                form.isUsable(for: found, besides: settings.nonceForms) && Self.isSame(found, form.applied(to: nonce))
            }
            guard fits else { throw .nonceMismatch(seen: NonceForm(of: found)) }
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool { Secret(left).matches(Secret(right)) }
}

extension NonceForm {
    /// What a nonce in a token looks like. A raw one may look like a digest by chance.
    init(of text: String) {
        let bytes = text.utf8
        let isHex = bytes.count == 64 && bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        self = isHex ? .hexDigest : bytes.count == 43 && Base64URL.decode(text) != nil ? .base64URLDigest : .raw
    }

    func applied(to nonce: String) -> String {
        let digest = { Array(SHA256.hash(data: Array(nonce.utf8))) }
        return switch self {
        case .raw: nonce
        case .hexDigest: digest().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        case .base64URLDigest: Base64URL.text(digest())
        }
    }

    /// A raw nonce that may be a digest is not compared as it is: who found the token would only have to repeat it.
    func isUsable(for found: String, besides forms: Set<NonceForm>) -> Bool {
        guard self == .raw else { return true }
        let form = NonceForm(of: found)
        return form == .raw || !forms.contains(form)
    }
}
