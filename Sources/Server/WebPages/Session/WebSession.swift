import GatehouseWire
import MailTemplates

/// A browser's state. It stays in the browser, sealed, in one cookie.
struct WebSession: Sendable {
    /// The tokens of the user who is signed in.
    struct Tokens: Sendable {
        var refresh: Secret
        /// nil if it was too long for the cookie. It is then fetched again.
        var access: Secret?
        /// The end of the access token, in seconds since 1970.
        var expiresAt: Int64
    }

    /// The app that waits for a sign-in here.
    struct Handover: Sendable {
        /// 43 to 128 bytes.
        let challenge: String
        let method: String
        /// A URL of at most ``longestTarget`` bytes.
        let target: String
        /// In seconds since 1970. Any website can send a browser here, so this is not kept for long.
        let expiresAt: Int64
        /// Whether the user has just signed in for this app and needs no further question.
        var isConfirmed = false
    }

    /// A mail whose code is awaited.
    struct AwaitedMail: Sendable {
        enum Kind: String, CaseIterable, Sendable {
            case signUp, signIn, recovery, emailChange
            /// The password or passkey is right, but set aside.
            case setAsidePassword, setAsidePasskey
        }

        let kind: Kind
        /// Empty for a passkey.
        let email: String
        /// The account's other address during a change. It may also need confirmation.
        var other: String?
        /// The ``Handover/id`` of the app that it was asked for.
        var handover: String?
        /// The typed password, which the code will set.
        var password: Secret?
        /// The set-aside passkey that the code restores.
        var ticket: Secret?
    }

    /// A sign-in through a provider or an emailed link, which comes back with a code.
    struct Flow: Sendable {
        enum Purpose: String, CaseIterable, Sendable { case signIn, link, confirm, mail, recovery, emailChange }

        let purpose: Purpose
        let verifier: Secret
        /// The ``Handover/id`` of the app that it was begun for.
        let handover: String?
    }

    /// The question to which account a provider's identity belongs.
    struct Question: Sendable {
        let ticket: Secret
        let email: String
        let provider: String
        let methods: [String]
        let canRecover: Bool
        let canMailCode: Bool
        let canUsePasskey: Bool
        /// The ``Handover/id`` of the app that the sign-in was begun for.
        let handover: String?
        var hasMailedCode = false
        /// Whether the next sign-in links the identity to its account.
        var isAnswered = false
    }

    /// A challenge for a passkey, which this browser may answer.
    struct Challenge: Sendable {
        let id: String
        /// `PublicKeyCredentialRequestOptionsJSON`.
        let options: AuthJSON
        /// In seconds since 1970.
        let expiresAt: Int64
    }

    /// Proves that a form comes from a page of this session: 16 random bytes.
    var formToken: [UInt8]
    var language: MailLanguage?
    var tokens: Tokens?
    /// The page after a sign-in.
    var next: Place?
    var handover: Handover?
    var mail: AwaitedMail?
    var flow: Flow?
    var question: Question?
    /// Whether the user's second factor is still missing. Until it is given, the tokens open no page of the account.
    var awaitsSecondStep = false
    var challenge: Challenge?
    /// A sentence for the next page.
    var flash: Flash?
    // Of the console alone.
    /// The secret key of an operator who signed in with it.
    var key: Secret?
    /// The path of the page after a sign-in.
    var nextPath: String?
    var sentence: String?
    /// In seconds since 1970.
    var endsAt: Int64?

    /// 12 hours in seconds.
    static let consoleLifetime: Int64 = 43_200

    init(formToken: [UInt8]) { self.formToken = formToken }

    func isOver(at now: Instant) -> Bool { endsAt.map { $0 <= now.seconds } ?? false }
}

/// Sentences that the next page shows once.
enum Flash: String, CaseIterable, Sendable {
    case signedOut, passwordSaved, profileSaved, deviceEnded, othersEnded, methodAdded, methodRemoved, linkUndone
    case mailSent, emailChanged, confirmOther, accountDeleted, linkNeedsFactor, startedOver
    case passkeyAdded, passkeyRemoved, changesSaved, appAdded, factorRemoved, keyAdded, keyRemoved
    case recoveryCodesRemoved, confirmFirst
    case signInAgain, sessionOver, tookTooLong, providerFailed, linkFailed
}

/// The pages, by their paths below `/account`.
enum Place: String, CaseIterable, Sendable {
    case home = ""
    case signIn = "/sign-in"
    case signInCode = "/sign-in/code"
    case passkeySignIn = "/sign-in/passkey"
    case secondStep = "/second-step"
    case signUp = "/sign-up"
    case passkeySignUp = "/sign-up/passkey"
    case checkMail = "/check-mail"
    case forgotPassword = "/forgot-password"
    case recover = "/recover"
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
    case email = "/email"
    case devices = "/devices"
    case methods = "/methods"
    case profile = "/profile"
    case data = "/data"
    case delete = "/delete"

    static let prefix = "/account"
    var path: String { Self.prefix + rawValue }
}
