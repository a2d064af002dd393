import GatehouseWire

/// The account that a client expects (OpenID Connect Core §3.1.2.1), to fill in a sign-in form. Anyone can have sent it.
struct LoginHint: Sendable {
    /// An email address of visible ASCII characters, or a phone number in E.164 format with `+`.
    let text: String

    /// - Returns: nil for any other text, which would be the client's words.
    init?(_ text: String) {
        guard text.utf8.count <= 254 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        if parts.count == 1 {
            let digits = text.hasPrefix("+") ? text : "+" + text
            guard let number = CallingCode.number(typed: digits, region: nil) else { return nil }
            self.text = number
        } else {
            let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(visible.contains) }) else {
                return nil
            }
            self.text = text
        }
    }

    var email: String? { text.contains(ascii: "@") ? text : nil }
    var number: String? { email == nil ? text : nil }
}
