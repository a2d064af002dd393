import GatehouseWire
import MailTemplates

/// Kept in the browser, encrypted in one cookie.
struct WebSession: Sendable {
    struct Tokens: Sendable {
        var refresh: Secret
        /// nil if too long for the cookie; fetched again.
        var access: Secret?
        /// The access token's, in seconds since 1970.
        var expiresAt: Int64
    }

    /// An app that awaits a sign-in here.
    struct Handover: Sendable {
        /// 43 to 128 bytes.
        let challenge: String
        let method: String
        /// At most ``longestTarget`` bytes.
        let target: String
        /// In seconds since 1970. Short-lived, because any website can send a browser here.
        let expiresAt: Int64
        /// The user has just signed in for this app.
        var isConfirmed = false
    }

    /// A client's request for access, to return to after a sign-in.
    struct Asked: Sendable {
        /// ``Place/consent`` or ``Place/device``.
        let place: Place
        /// The request's ID, or a device's code.
        let subject: String
        /// The email address or phone number that the client expects.
        var hint: LoginHint?
        /// In seconds since 1970.
        let expiresAt: Int64
    }

    /// A mail whose code is awaited.
    struct AwaitedMail: Sendable {
        enum Kind: String, CaseIterable, Sendable {
            case signUp, signIn, recovery, emailChange
            /// The credential is right, but set aside.
            case setAsidePassword, setAsidePasskey
        }

        let kind: Kind
        /// Empty for a passkey.
        let email: String
        /// A change's other address, which may also need confirmation.
        var other: String?
        /// The app's ``Handover/id``.
        var handover: String?
        /// Set by the code, as typed.
        var password: Secret?
        /// The code restores this passkey.
        var ticket: Secret?
    }

    /// A text message whose code is awaited.
    struct AwaitedText: Sendable {
        enum Kind: String, CaseIterable, Sendable {
            case signUp, signIn, change
            /// The password is right, but set aside.
            case setAsidePassword
        }

        let kind: Kind
        /// In E.164 format, with `+`.
        let number: String
        /// The app's ``Handover/id``.
        var handover: String?
        /// Set by the code, as typed.
        var password: Secret?
    }

    /// Returns from a provider or an emailed link with a code.
    struct Flow: Sendable {
        enum Purpose: String, CaseIterable, Sendable { case signIn, link, confirm, mail, recovery, emailChange }

        let purpose: Purpose
        let verifier: Secret
        /// The app's ``Handover/id``.
        let handover: String?
    }

    /// Asks to which account a provider's identity belongs.
    struct Question: Sendable {
        let ticket: Secret
        let email: String
        let provider: String
        let methods: [String]
        let canRecover: Bool
        let canMailCode: Bool
        let canUsePasskey: Bool
        /// The app's ``Handover/id``.
        let handover: String?
        var hasMailedCode = false
        /// The next sign-in links the identity.
        var isAnswered = false
    }

    /// For a passkey.
    struct Challenge: Sendable {
        let id: String
        /// `PublicKeyCredentialRequestOptionsJSON`.
        let options: AuthJSON
        /// In seconds since 1970.
        let expiresAt: Int64
    }

    /// 16 random bytes in the forms of this session's pages.
    var formToken: [UInt8]
    var language: MailLanguage?
    var tokens: Tokens?
    /// After a sign-in.
    var next: Place?
    var handover: Handover?
    var asked: Asked?
    var mail: AwaitedMail?
    var text: AwaitedText?
    var flow: Flow?
    var question: Question?
    /// Until the second factor, the tokens open no account page.
    var awaitsSecondStep = false
    var challenge: Challenge?
    /// For the next page.
    var flash: Flash?
    // Console only.
    /// Of an operator who signed in with it.
    var key: Secret?
    /// After a sign-in.
    var nextPath: String?
    var sentence: String?
    /// In seconds since 1970.
    var endsAt: Int64?

    /// 12 hours in seconds.
    static let consoleLifetime: Int64 = 43_200

    init(formToken: [UInt8]) { self.formToken = formToken }

    func isOver(at now: Instant) -> Bool { endsAt.map { $0 <= now.seconds } ?? false }
}

/// Shown once, on the next page.
enum Flash: String, CaseIterable, Sendable {
    case signedOut, passwordSaved, profileSaved, deviceEnded, othersEnded, methodAdded, methodRemoved, linkUndone
    case mailSent, emailChanged, confirmOther, accountDeleted, linkNeedsFactor, startedOver
    case passkeyAdded, passkeyRemoved, changesSaved, appAdded, factorRemoved, keyAdded, keyRemoved
    case recoveryCodesRemoved, confirmFirst
    case textSent, phoneChanged, phoneAdded, phoneRemoved, clientRemoved
    case signInAgain, sessionOver, tookTooLong, providerFailed, providerWithoutEmail, linkFailed
    case blocked, noSignUps, identityTaken
}

/// Paths below `/account`.
enum Place: String, CaseIterable, Sendable {
    case home = ""
    case signIn = "/sign-in"
    case signInCode = "/sign-in/code"
    case passkeySignIn = "/sign-in/passkey"
    case phoneSignIn = "/sign-in/phone"
    case secondStep = "/second-step"
    case signUp = "/sign-up"
    case passkeySignUp = "/sign-up/passkey"
    case checkMail = "/check-mail"
    case checkMessages = "/check-messages"
    case forgotPassword = "/forgot-password"
    case recover = "/recover"
    case invitation = "/invitation"
    case newPassword = "/new-password"
    case linkQuestion = "/link"
    case goOn = "/continue"
    case callback = "/callback"
    case security = "/security"
    case passkeys = "/passkeys"
    case passkey = "/passkeys/passkey"
    case authenticator = "/authenticator"
    case securityKeys = "/security-keys"
    case recoveryCodes = "/recovery-codes"
    case phoneFactors = "/text-messages"
    case email = "/email"
    case phone = "/phone"
    case devices = "/devices"
    case methods = "/methods"
    case profile = "/profile"
    case data = "/data"
    case delete = "/delete"
    case consent = "/oauth"
    case device = "/device"
    case deviceReport = "/unknown-device"
    case apps = "/apps"

    static let prefix = "/account"
    var path: String { Self.prefix + rawValue }
}
