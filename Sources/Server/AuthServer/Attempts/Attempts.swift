import AccountDomain
import GatehouseWire
package import HTTPServing

/// The limits on wrong passwords, and what each limit counts by.
///
/// The pair of account and address reaches its limit first. Only half of a pair's failures also count against the
/// address and the account, so a single address can lock out neither the account for other addresses nor other accounts
/// for itself. A second limit of each, twice as high, counts every failure, so that using many pairs does not yield more
/// guesses.
package struct Attempts: Sendable {
    let limiter: AttemptLimiter
    let byPair, byAddress, bySite, byAccount: AttemptLimit
    /// Count every failure, including those that the pair's limit keeps from ``byAddress`` and ``byAccount``.
    let byAddressInAll, byAccountInAll: AttemptLimit
    /// Devices that have signed in with the account's current password: a limit for each device, and one for all of them.
    let byDevice, byDevices: AttemptLimit
    /// Callers with an access token that try a password of their account: a limit for each session, so that a stolen token
    /// does not lock the owner out, and one for all sessions of an account.
    let bySession, bySessions: AttemptLimit
    /// Wrong emailed codes: a limit for each address, and one for its network.
    let byCaller, byCallerSite: AttemptLimit
    /// Wrong answers of second factors: all factors and sessions of an account together.
    let byFactors: AttemptLimit

    package init(_ rates: AuthRates, shared: SharedFailures? = nil) {
        let (count, hour) = (rates.failedSignIns, Duration.seconds(3_600))
        limiter = AttemptLimiter(shared: shared)
        byPair = AttemptLimit("failed_sign_ins_pair", count, per: hour, isForgiven: true, spread: (count + 1) / 2)
        byAddress = AttemptLimit("failed_sign_ins_address", count, per: hour)
        bySite = AttemptLimit("failed_sign_ins_network", count * 10, per: hour)
        byAccount = AttemptLimit("failed_sign_ins_account", count, per: hour, isForgiven: true)
        byAddressInAll = AttemptLimit("failed_sign_ins_address_all", count * 2, per: hour)
        byAccountInAll = AttemptLimit("failed_sign_ins_account_all", count * 2, per: hour, isForgiven: true)
        byDevice = AttemptLimit("failed_sign_ins_device", count, per: hour, isForgiven: true)
        byDevices = AttemptLimit("failed_sign_ins_devices", count * 3, per: hour)
        bySession = AttemptLimit("failed_sign_ins_session", count, per: hour)
        bySessions = AttemptLimit("failed_sign_ins_sessions", count * 3, per: hour)
        byCaller = AttemptLimit("failed_codes_address", count * 2, per: hour)
        byCallerSite = AttemptLimit("failed_codes_network", count * 20, per: hour)
        byFactors = AttemptLimit("failed_factor_answers", count * 3, per: hour)
    }

    /// Limits that every failure counts against come before the pair; see ``AttemptLimit/spread``.
    ///
    /// - Parameter address: nil if the client's address is unknown.
    func pair(_ account: AttemptedAccount, _ address: IPAddress?) -> [AttemptKey] {
        guard let address else { return [] }
        let site = address.siteKey.map { [AttemptKey(bySite, $0)] } ?? []
        let key = address.limitKey
        let pair = [AttemptKey(byPair, "\(account.key) \(key)"), AttemptKey(byAddress, key)]
        return [AttemptKey(byAddressInAll, key)] + site + pair
    }

    func ofCodes(_ address: IPAddress) -> [AttemptKey] {
        [AttemptKey(byCaller, address.limitKey)] + (address.siteKey.map { [AttemptKey(byCallerSite, $0)] } ?? [])
    }

    /// Whether a limit of the account itself refused the attempt.
    func isOfAccount(_ bucket: String?) -> Bool { bucket == byAccount.bucket || bucket == byAccountInAll.bucket }
}

/// The account that a request names. It may not exist.
struct AttemptedAccount {
    /// nil if the text is not a valid email address.
    let email: EmailAddress?
    /// SHA-256 of the text, so that addresses do not stay in memory for an hour.
    let digest: [UInt8]

    init(_ text: String) {
        email = EmailAddress(text)
        digest = TokenDigest.of(Secret(email?.text ?? text))
    }

    var key: String { Base64URL.text(digest) }
}
