import AccountDomain
import GatehouseWire
package import HTTPServing

/// How many wrong passwords there may be (requirement D9), and whose they are.
///
/// The pair of account and address closes first: of one pair only half of the failures count for the address and the
/// account too. So one address alone shuts neither the account for others nor other accounts for itself. Beyond twice the
/// number every failure counts, so that many pairs together give no more guesses than that.
package struct Attempts: Sendable {
    let limiter: AttemptLimiter
    let byPair, byAddress, bySite, byAccount: AttemptLimit
    /// Whatever the pair has spared.
    let byAddressInAll, byAccountInAll: AttemptLimit
    /// Devices that have signed in to the account before: each by itself, and all of an account's together.
    let byDevice, byDevices: AttemptLimit
    /// Callers with an access token who try a password of their account: each session by itself, so that a stolen token
    /// does not shut the owner out, and all sessions of an account together.
    let bySession, bySessions: AttemptLimit

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
    }

    /// What every failure counts for stands before the pair, see ``AttemptLimit/spread``.
    ///
    /// - Parameter address: nil where it is not known.
    func pair(_ account: AttemptedAccount, _ address: IPAddress?) -> [AttemptKey] {
        guard let address else { return [] }
        let site = address.siteKey.map { [AttemptKey(bySite, $0)] } ?? []
        let key = address.limitKey
        let pair = [AttemptKey(byPair, "\(account.key) \(key)"), AttemptKey(byAddress, key)]
        return [AttemptKey(byAddressInAll, key)] + site + pair
    }

    /// Whether a limit of the account itself refused.
    func isOfAccount(_ bucket: String?) -> Bool { bucket == byAccount.bucket || bucket == byAccountInAll.bucket }
}

/// The account that a caller names, whether it exists or not.
struct AttemptedAccount {
    /// nil when the text is no address.
    let email: EmailAddress?
    /// SHA-256: an address is nothing to keep in memory for an hour.
    let digest: [UInt8]

    init(_ text: String) {
        email = EmailAddress(text)
        digest = TokenDigest.of(Secret(email?.text ?? text))
    }

    var key: String { Base64URL.text(digest) }
}
