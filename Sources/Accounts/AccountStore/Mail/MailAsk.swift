package import AccountDomain
package import GatehouseWire

/// A request for an email to an address that may have no account. The rest is decided when the email is sent, so that
/// neither the response nor its time depends on the account.
package struct MailAsk: Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        case recovery
        /// A sign-in code and link, including for a new account if ``MailAsk/createsAccount`` is set.
        case signIn = "sign_in"
        /// Repeats a pending sign-up's email.
        case signUp = "sign_up"
        /// Repeats a pending change's emails.
        case emailChange = "email_change"
        /// Likewise for a number.
        case phoneChange = "phone_change"
    }

    package let purpose: Purpose
    package let recipient: Recipient
    package var request: MailRequest
    package var createsAccount = false
    package var confirmsAutomatically = false
    /// The `user_metadata` of an account that this creates.
    package var data: AuthJSONObject = [:]
    package var confirmsBoth = true

    package init(_ purpose: Purpose, _ recipient: Recipient, _ request: MailRequest) {
        self.purpose = purpose
        self.recipient = recipient
        self.request = request
    }

    /// Usually.
    var kind: MailKind {
        switch purpose {
        case .recovery: .recovery
        case .signIn: recipient.phone == nil ? .magicLink : .textSignIn
        case .signUp: recipient.phone == nil ? .signUp : .textSignUp
        case .emailChange: .emailChangeNew
        case .phoneChange: .textPhoneChange
        }
    }

    /// Omits defaults: every email request stores this.
    var json: AuthJSON {
        var members: AuthJSONObject = [
            "ask": .string(purpose.rawValue), recipient.provider: .string(recipient.text),
            "redirect_to": .string(request.redirectTo), "lifetime": .integer(request.lifetime.components.seconds),
        ]
        if let key = request.proofKey {
            members["challenge"] = .string(key.challenge)
            members["challenge_method"] = .string(key.method.rawValue)
        }
        if let browser = request.browser { members["browser"] = .string(Base64URL.text(browser)) }
        if let code = request.fixedCode { members["code"] = .string(code.reveal()) }
        if let channel = request.channel { members["channel"] = .string(channel.rawValue) }
        if let language = request.language { members["language"] = .string(language) }
        if createsAccount { members["creates_account"] = .bool(true) }
        if confirmsAutomatically { members["confirms_automatically"] = .bool(true) }
        if !data.isEmpty { members["data"] = .object(data) }
        if !confirmsBoth { members["confirms_both"] = .bool(false) }
        return .object(members)
    }

    init?(json: AuthJSON) {
        guard let purpose = (json["ask"]?.stringValue).flatMap(Purpose.init(text:)),
            let recipient = ((json["email"] ?? json["phone"])?.stringValue).flatMap(Recipient.init),
            let redirectTo = json["redirect_to"]?.stringValue, let lifetime = json["lifetime"]?.intValue
        else { return nil }
        var request = MailRequest(redirectTo: redirectTo, lifetime: .seconds(lifetime))
        if let challenge = json["challenge"]?.stringValue, let method = json["challenge_method"]?.stringValue {
            request.proofKey = ProofKey(challenge: challenge, method: method)
        }
        request.browser = (json["browser"]?.stringValue).flatMap { Base64URL.decode($0) }
        request.language = json["language"]?.stringValue
        request.fixedCode = (json["code"]?.stringValue).map(Secret.init)
        request.channel = (json["channel"]?.stringValue).flatMap(TextChannel.init(text:))
        self.init(purpose, recipient, request)
        createsAccount = json["creates_account"]?.boolValue ?? false
        confirmsAutomatically = json["confirms_automatically"]?.boolValue ?? false
        data = json["data"]?.objectValue ?? [:]
        confirmsBoth = json["confirms_both"]?.boolValue ?? true
    }
}
