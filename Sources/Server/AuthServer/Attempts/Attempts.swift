import AccountDomain
import GatehouseWire
package import HTTPServing

/// The pair of account and address is limited first, and only half of its failures also count against either. So one
/// address cannot lock out an account elsewhere, or other accounts for itself. A second limit of each, twice as high,
/// counts every failure, so many pairs do not yield more guesses.
package struct Attempts: Sendable {
    let limiter: AttemptLimiter
    let byPair, byAddress, bySite, byAccount: AttemptLimit
    /// Count every failure, including those that the pair's limit keeps from the other two.
    let byAddressInAll, byAccountInAll: AttemptLimit
    /// Devices that have signed in with the account's current password, each and together.
    let byDevice, byDevices: AttemptLimit
    /// Attempts with an access token: per session, so a stolen token does not lock out the owner, and per account.
    let bySession, bySessions: AttemptLimit
    /// Wrong emailed codes, by address and by network.
    let byCaller, byCallerSite: AttemptLimit
    /// All factors and sessions of an account together.
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
        byDevices = AttemptLimit("failed_sign_ins_devices", count * 3, per: hour, isReset: true)
        bySession = AttemptLimit("failed_sign_ins_session", count, per: hour)
        bySessions = AttemptLimit("failed_sign_ins_sessions", count * 3, per: hour, isReset: true)
        byCaller = AttemptLimit("failed_codes_address", count * 2, per: hour)
        byCallerSite = AttemptLimit("failed_codes_network", count * 20, per: hour)
        byFactors = AttemptLimit("failed_factor_answers", count * 3, per: hour, isReset: true)
    }

    /// Limits that count every failure come before the pair; see ``AttemptLimit/spread``.
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

    func isOfAccount(_ bucket: String?) -> Bool { bucket == byAccount.bucket || bucket == byAccountInAll.bucket }
}

/// The account that a request names, which may not exist.
struct AttemptedAccount {
    /// nil for an invalid email address or number.
    let address: Recipient?
    /// SHA-256 of the text, so that memory holds no addresses.
    let digest: [UInt8]

    init(_ address: Recipient) {
        self.address = address
        digest = TokenDigest.of(Secret(address.text))
    }

    init(email text: String) {
        address = EmailAddress(text).map(Recipient.email)
        digest = TokenDigest.of(Secret(address?.text ?? text))
    }

    var key: String { Base64URL.text(digest) }
}
