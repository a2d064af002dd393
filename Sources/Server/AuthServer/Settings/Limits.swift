package import HTTPServing

/// By client address unless stated otherwise. See [Rate limits](https://supabase.com/docs/guides/auth/rate-limits).
package struct AuthRates: Sendable {
    /// `/token`, per 5 minutes.
    package var token = 150
    /// `/signup` with an email address, `PUT /user`, and requests for mails, per 5 minutes each.
    package var otp = 30
    /// `/verify`, per 5 minutes.
    package var verify = 30
    /// Mails per hour to confirmed addresses, and as many to others; further ones wait. One client may ask for a third.
    /// Not for invitations, nor with automatic confirmation.
    package var mails = 30
    /// Text messages per hour to confirmed numbers, and as many to others; one client may ask for a third.
    package var texts = 30
    /// Likewise per day.
    package var textsDaily = 500
    /// Text messages per hour to the ten thousand numbers that differ in the last four digits.
    package var textsToRange = 10
    /// Text messages per hour to the numbers that begin with one allowed prefix.
    package var textsToCountry = 60
    /// `/authorize`, per 5 minutes: each request stores a flow for that long.
    package var authorize = 60
    /// Per hour.
    package var anonymousUsers = 30
    /// Token requests of OAuth clients, per 5 minutes.
    package var oauthToken = 1_500
    /// Second-factor challenges per minute, as many responses, and as many removals.
    package var factors = 15
    /// `/passkeys/authentication/options`, per 5 minutes.
    package var passkey = 30
    /// Wrong passwords per hour for each address and each account; see ``Attempts``.
    package var failedSignIns = 10

    package init() {}
}

package enum Limits {
    static let token = "token"
    static let authorize = "authorize"
    static let signUp = "signup"
    static let anonymousSignUp = "signup_anonymous"
    static let updateUser = "user"
    /// Sign-outs that keep their own session, so its token can repeat them.
    static let signOut = "logout"
    /// Per session: removed and undone sign-in methods, renamed passkeys. Even a refused call may add to the audit log.
    static let signInMethods = "sign_in_methods"
    static let verify = "verify"
    static let passkey = "passkey"
    /// Of OAuth clients, whose servers act for many users.
    static let oauthToken = "oauth_token"
    static let oauthRegistration = "oauth_registration"
    /// Typed codes of devices: 2.5 × 10¹⁰ are possible.
    static let oauthUserCode = "oauth_user_code"
    /// Metadata documents that are read for a request.
    static let clientDocument = "client_document"
    /// Per account: each passkey may send a notice.
    static let registerPasskey = "passkey_registration"
    /// Per session.
    static let childSession = "child_session"
    static let export = "export"
    static let enrollFactor = "factor_enroll"
    static let challengeFactor = "factor_challenge"
    static let verifyFactor = "factor_verify"
    static let verifyRecoveryCode = "recovery_code_verify"
    static let removeFactor = "factor_remove"
    /// The time that a response names while a factor is locked, rather than a limit of requests.
    static let factorLock = "factor_lock"
    static let mailRequest = "mail_request"
    /// Mails to accounts' confirmed addresses.
    static let mails = "mails"
    /// Mails to other addresses, which may be made up.
    static let otherMails = "mails_other"
    /// Mails that one client asks for.
    static let mailShare = "mail_share"
    // Text messages likewise.
    static let texts = "texts"
    static let otherTexts = "texts_other"
    static let textsDaily = "texts_daily"
    static let otherTextsDaily = "texts_other_daily"
    static let textShare = "text_share"
    /// Of any kind.
    static let textNumber = "text_number"
    static let textRange = "text_range"
    static let textCountry = "text_country"

    /// Anonymous sign-ups are counted across nodes.
    package static func all(_ rates: AuthRates) -> [RateLimit] {
        let fiveMinutes = Duration.seconds(300)
        let hour = Duration.seconds(3_600)
        let day = Duration.seconds(86_400)
        let share = max(1, rates.mails / 3)
        let textShareRate = max(1, rates.texts / 3)
        return [
            RateLimit(token, rates.token, per: fiveMinutes, burst: 30),
            RateLimit(authorize, rates.authorize, per: fiveMinutes, burst: 30),
            RateLimit(signUp, rates.otp, per: fiveMinutes, burst: 30),
            RateLimit(updateUser, rates.otp, per: fiveMinutes, burst: 30),
            RateLimit(signOut, 60, per: hour, burst: 60),
            RateLimit(signInMethods, 60, per: hour, burst: 60),
            RateLimit(verify, rates.verify, per: fiveMinutes, burst: 30),
            RateLimit(passkey, rates.passkey, per: fiveMinutes, burst: 30),
            RateLimit(registerPasskey, 30, per: hour, burst: 30),
            RateLimit(mailRequest, rates.otp, per: fiveMinutes, burst: 30),
            RateLimit(enrollFactor, rates.otp, per: fiveMinutes, burst: 30),
            RateLimit(challengeFactor, rates.factors, per: .seconds(60), burst: 30),
            RateLimit(verifyFactor, rates.factors, per: .seconds(60), burst: 30),
            RateLimit(verifyRecoveryCode, rates.factors, per: .seconds(60), burst: 30),
            RateLimit(removeFactor, rates.factors, per: .seconds(60), burst: 30),
            RateLimit(childSession, 30, per: hour, burst: 30),
            RateLimit(export, 10, per: hour, burst: 10),
            RateLimit(mails, rates.mails, per: hour, burst: rates.mails, isShared: true),
            RateLimit(otherMails, rates.mails, per: hour, burst: rates.mails, isShared: true),
            RateLimit(mailShare, share, per: hour, burst: share, isShared: true),
            RateLimit(texts, rates.texts, per: hour, burst: rates.texts, isShared: true),
            RateLimit(otherTexts, rates.texts, per: hour, burst: rates.texts, isShared: true),
            RateLimit(textsDaily, rates.textsDaily, per: day, burst: rates.textsDaily, isShared: true),
            RateLimit(otherTextsDaily, rates.textsDaily, per: day, burst: rates.textsDaily, isShared: true),
            RateLimit(textShare, textShareRate, per: hour, burst: textShareRate, isShared: true),
            RateLimit(textNumber, 5, per: .seconds(600), burst: 5, isShared: true),
            RateLimit(textRange, rates.textsToRange, per: hour, burst: rates.textsToRange, isShared: true),
            RateLimit(textCountry, rates.textsToCountry, per: hour, burst: rates.textsToCountry, isShared: true),
            RateLimit(
                anonymousSignUp, rates.anonymousUsers, per: hour, burst: rates.anonymousUsers,
                isShared: true),
        ] + ofClients(rates, per: fiveMinutes)
    }

    private static func ofClients(_ rates: AuthRates, per time: Duration) -> [RateLimit] {
        [
            RateLimit(oauthToken, rates.oauthToken, per: time, burst: max(rates.oauthToken, 30)),
            RateLimit(oauthRegistration, 10, per: time, burst: 30),
            RateLimit(oauthUserCode, rates.verify, per: time, burst: 30),
            RateLimit(clientDocument, 30, per: time, burst: 30),
        ]
    }
}
