package import GatehouseWire

package struct MailContent: Sendable {
    package let kind: MailKind
    package let recipient: Recipient
    /// nil for an email without a link.
    package var linkToken: Secret?
    package var code: Secret?
    /// For the current address, in an email about a change that has both.
    package var currentCode: Secret?
    package var currentLinkToken: Secret?
    package var redirectTo: String
    /// May differ from the recipient.
    package var account: String?
    /// Otherwise the recipient may be a stranger: anyone can enter any address to sign up.
    package var isToConfirmed = false
    package var newEmail: String?
    /// The account's `user_metadata`.
    package var data: AuthJSONObject = [:]
    /// As in `Accept-Language` (RFC 9110 §12.5.4).
    package var language: String?
    package var notice: MailNotice?
    /// Of a text message; nil for SMS.
    package var channel: TextChannel?
    /// A test number, which gets no message.
    package var isTest = false

    package init(kind: MailKind, recipient: Recipient, redirectTo: String) {
        self.kind = kind
        self.recipient = recipient
        self.redirectTo = redirectTo
    }

    package var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "kind": .string(kind.rawValue), "recipient": .string(recipient.text),
            "link_token": (linkToken?.reveal()).map(AuthJSON.string), "code": (code?.reveal()).map(AuthJSON.string),
            "current_code": (currentCode?.reveal()).map(AuthJSON.string),
            "current_link_token": (currentLinkToken?.reveal()).map(AuthJSON.string),
            "redirect_to": .string(redirectTo), "new_email": newEmail.map(AuthJSON.string),
            "account": account.map(AuthJSON.string), "data": .object(data),
            "language": language.map(AuthJSON.string), "notice": notice?.json, "to_confirmed": .bool(isToConfirmed),
            "channel": (channel?.rawValue).map(AuthJSON.string), "test": isTest ? true : nil,
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    /// - Returns: nil for JSON that this release's ``json`` cannot produce.
    package init?(json: AuthJSON) {
        guard let kind = (json["kind"]?.stringValue).flatMap(MailKind.init(text:)),
            let recipient = (json["recipient"]?.stringValue).flatMap(Recipient.init),
            let redirectTo = json["redirect_to"]?.stringValue
        else { return nil }
        self.init(kind: kind, recipient: recipient, redirectTo: redirectTo)
        linkToken = (json["link_token"]?.stringValue).map(Secret.init)
        code = (json["code"]?.stringValue).map(Secret.init)
        currentCode = (json["current_code"]?.stringValue).map(Secret.init)
        currentLinkToken = (json["current_link_token"]?.stringValue).map(Secret.init)
        newEmail = json["new_email"]?.stringValue
        account = json["account"]?.stringValue
        data = json["data"]?.objectValue ?? [:]
        language = json["language"]?.stringValue
        notice = json["notice"].flatMap(MailNotice.init(json:))
        isToConfirmed = json["to_confirmed"]?.boolValue ?? false
        channel = (json["channel"]?.stringValue).flatMap(TextChannel.init(text:))
        isTest = json["test"]?.boolValue ?? false
    }
}

/// A code and a link token for the same purpose, in the clear. Only the email contains them.
package struct MintedToken: Sendable {
    /// 56 hexadecimal digits, after `pkce_` if the link leads to an authorization code.
    package let link: Secret
    /// Six decimal digits.
    package let code: Secret

    package static let pkcePrefix = "pkce_"
    /// Wrong codes that a token survives.
    package static let maximumAttempts = 5
    package static let linkBytes = 28
    package static let digits = 6

    /// - Parameter fixedCode: For a test number.
    package init(hasProofKey: Bool, fixedCode: Secret? = nil, randomBytes: (Int) -> [UInt8]) {
        let digits = randomBytes(Self.linkBytes).hexadecimal
        link = Secret((hasProofKey ? Self.pkcePrefix : "") + digits)
        code = fixedCode ?? Secret(Self.code(randomBytes))
    }

    /// Every code is equally likely: draws again above the last multiple of a million.
    private static func code(_ randomBytes: (Int) -> [UInt8]) -> String {
        while true {
            let number = randomBytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            let digits = String(number % 1_000_000)
            return String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
        }
    }
}
