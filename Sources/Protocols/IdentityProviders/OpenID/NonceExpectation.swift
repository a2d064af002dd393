import Crypto
import GatehouseWire

package enum NonceExpectation: Sendable {
    /// Sent to the provider; must be in the token unchanged.
    case sent(String)
    /// Sent by the app. nil or empty means none.
    case presented(String?)
}

extension NonceExpectation {
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
    /// A raw nonce may look like a digest by chance.
    init(of text: String) {
        let bytes = text.utf8
        let isHex = bytes.count == 64 && bytes.allSatisfy { $0.hexadecimalValue != nil }
        self = isHex ? .hexDigest : bytes.count == 43 && Base64URL.decode(text) != nil ? .base64URLDigest : .raw
    }

    func applied(to nonce: String) -> String {
        let digest = { Array(SHA256.hash(data: Array(nonce.utf8))) }
        return switch self {
        case .raw: nonce
        case .hexDigest: digest().hexadecimal
        case .base64URLDigest: Base64URL.text(digest())
        }
    }

    /// Never compares a possible digest raw: a stolen token would suffice to repeat it.
    func isUsable(for found: String, besides forms: Set<NonceForm>) -> Bool {
        guard self == .raw else { return true }
        let form = NonceForm(of: found)
        return form == .raw || !forms.contains(form)
    }
}
