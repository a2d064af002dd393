package import HTTPServing

/// Rate limits, by client address unless stated otherwise. See [Rate
/// limits](https://supabase.com/docs/guides/auth/rate-limits).
package struct AuthRates: Sendable {
    /// `/token`, per 5 minutes.
    package var token = 150
    /// `/signup` with an email address, and `PUT /user`, per 5 minutes each.
    package var otp = 30
    /// `/authorize`, per 5 minutes: each request stores a flow for that long.
    package var authorize = 60
    /// Anonymous sign-ups per hour.
    package var anonymousUsers = 30
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

    package static func all(_ rates: AuthRates) -> [RateLimit] {
        let fiveMinutes = Duration.seconds(300)
        let hour = Duration.seconds(3_600)
        return [
            RateLimit(token, rates.token, per: fiveMinutes, burst: 30),
            RateLimit(authorize, rates.authorize, per: fiveMinutes, burst: 30),
            RateLimit(signUp, rates.otp, per: fiveMinutes, burst: 30),
            RateLimit(updateUser, rates.otp, per: fiveMinutes, burst: 30),
            RateLimit(
                anonymousSignUp, rates.anonymousUsers, per: hour, burst: rates.anonymousUsers,
                isShared: true),
        ]
    }
}
