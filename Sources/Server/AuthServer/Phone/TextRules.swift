package import AccountDomain
package import GatehouseWire

/// Text messages by SMS and WhatsApp.
package struct TextRules: Sendable {
    /// For `GET /settings`, such as `twilio`; empty for a hook.
    package var provider = ""
    package var sendsWhatsApp = false
    package var codeLifetime: Duration = .seconds(300)
    /// Between two messages of a kind to one number.
    package var interval: Duration = .seconds(60)
    /// Confirms new numbers without a message. Never proves their ownership.
    package var confirmsAutomatically = false
    /// What allowed numbers begin with: digits of a calling code and more. nil allows every country.
    package var prefixes: [String]?
    /// Numbers with fixed codes, which get no messages.
    package var testCodes: [PhoneNumber: Secret] = [:]
    /// nil for always.
    package var testCodesEnd: Instant?
    /// See ``MailRules/requiresReauthentication``.
    package var requiresReauthentication = false

    package init() {}

    /// The allowed prefix that the number begins with, or its first digit if all are allowed; nil for a number of
    /// another country.
    func place(of phone: PhoneNumber) -> String? {
        guard let prefixes else { return String(phone.text.prefix(1)) }
        return prefixes.filter { phone.text.utf8.starts(with: $0.utf8) }.max { $0.utf8.count < $1.utf8.count }
    }

    func testCode(of phone: PhoneNumber, at now: Instant) -> Secret? {
        if let end = testCodesEnd, end <= now { return nil }
        return testCodes[phone]
    }
}
