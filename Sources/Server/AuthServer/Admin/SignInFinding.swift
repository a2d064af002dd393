import AccountDomain
import AccountStore
package import GatehouseWire

/// A fact that stops a user's sign-ins, or makes them ask for more.
package struct SignInFinding: Sendable {
    /// Raw values are the admin API's.
    package enum Code: String, CaseIterable, Sendable {
        case deleted, banned
        case locked = "sign_in_locked"
        case factorLocked = "second_factor_locked"
        case noMethod = "no_sign_in_method"
        case emailUnconfirmed = "email_unconfirmed"
        case phoneUnconfirmed = "phone_unconfirmed"
        case undeliverable = "email_undeliverable"
        case noPassword = "password_missing"
        case setAside = "credentials_set_aside"
        case secondFactor = "second_factor_required"
    }

    package let code: Code
    /// Sign-ins fail because of it, at least by one method or from one address.
    package let blocks: Bool
    package var since: Instant?
    package var until: Instant?
    package var bucket: String?
    package var address: String?
    /// One sentence for an operator, and the remedy.
    package let text, advice: String

    init(_ code: Code, blocks: Bool = true, _ text: String, _ advice: String) {
        (self.code, self.blocks, self.text, self.advice) = (code, blocks, text, advice)
    }
}

/// The facts that an account's findings follow from.
struct SignInFacts {
    let account: Account
    var hasPasskey = false
    var mailsCodes = false
    var locks: [SignInLock] = []
    var factorLocks: [(factor: FactorID, until: Instant)] = []
    var ban: BanNote?
    let now: Instant

    private var user: User { account.user }

    /// Findings that block a sign-in are first.
    var findings: [SignInFinding] {
        if let deleted = deletion { return [deleted] }
        let all = [ban(of: user)] + locks.map(finding) + factorLocks.map(finding) + addressFindings + methodFindings
        let found = all.compactMap(\.self)
        return found.filter(\.blocks) + found.filter { !$0.blocks }
    }

    private var deletion: SignInFinding? {
        guard let at = user.times.deletedAt else { return nil }
        var finding = SignInFinding(
            .deleted, "The account was deleted at \(at.minute). Its data is erased.",
            "The user can sign up again, with a new account.")
        finding.since = at
        return finding
    }

    private func ban(of user: User) -> SignInFinding? {
        guard user.isBanned(at: now), let end = user.times.bannedUntil else { return nil }
        let reason = ban.map { $0.reason.isEmpty ? "" : " Reason: \($0.reason)" } ?? ""
        var finding = SignInFinding(
            .banned, "The account is banned until \(end.minute).\(reason)",
            "Lift the ban. The user's sessions continue after it.")
        (finding.since, finding.until) = (ban?.at, end)
        return finding
    }

    private func finding(_ lock: SignInLock) -> SignInFinding {
        let isFactors = lock.bucket.utf8.starts(with: "failed_factor".utf8)
        let cause = "\(lock.count) \(isFactors ? "wrong answers of second factors" : "failed sign-ins") within an hour"
        let place =
            switch lock.address {
            case let address? where lock.isReset: "from \(address.shownAddress)"
            case let address?: "from \(address.shownAddress), for every account"
            case nil where isFactors: "with a second factor"
            case nil: "except on devices where the user is signed in"
            }
        var finding = SignInFinding(
            isFactors ? .factorLocked : .locked,
            "Sign-in \(place) is locked until \(lock.until.minute): \(cause).",
            lock.isReset
                ? "Wait, or unlock the account. A new password that you set unlocks it as well."
                : "Wait. This limit protects other accounts from guesses from this address.")
        (finding.until, finding.bucket, finding.address) = (lock.until, lock.bucket, lock.address)
        return finding
    }

    private func finding(_ lock: (factor: FactorID, until: Instant)) -> SignInFinding {
        let kind = factors.first { $0.id == lock.factor.text }?.words ?? "The second factor"
        var finding = SignInFinding(
            .factorLocked, "\(kind) is locked until \(lock.until.minute) after wrong answers.",
            "Wait, use another second factor, or unlock the account.")
        finding.until = lock.until
        return finding
    }

    private var addressFindings: [SignInFinding?] {
        let times = user.times
        var found: [SignInFinding] = []
        if user.email != nil, times.emailConfirmedAt == nil, user.formerEmail == nil {
            let sent = [times.confirmationSentAt, times.invitedAt].compactMap(\.self).max()
            let last = sent.map { "The last email was requested at \($0.minute)." } ?? "No confirmation email was sent."
            var finding = SignInFinding(
                .emailUnconfirmed, "The email address is unconfirmed, so passwords and passkeys are refused. \(last)",
                "Resend the confirmation, or confirm the address if you know that it is the user's.")
            finding.since = sent
            found.append(finding)
        }
        if user.email == nil, user.phone != nil, times.phoneConfirmedAt == nil {
            found.append(
                SignInFinding(
                    .phoneUnconfirmed, "The phone number is unconfirmed.", "The user can request a new code."))
        }
        if let at = times.emailUndeliverableAt {
            var finding = SignInFinding(
                .undeliverable, blocks: times.emailConfirmedAt == nil,
                "A mail server permanently refused the email address at \(at.minute). Codes may not arrive.",
                "Ask the user for the right address, and change it.")
            finding.since = at
            found.append(finding)
        }
        return found
    }

    private var methodFindings: [SignInFinding?] {
        let aside = user.setAside
        let methods = methods
        var found: [SignInFinding] = []
        if methods.isEmpty {
            found.append(
                SignInFinding(
                    .noMethod, "The account has no way to sign in: no password, passkey or provider.",
                    "Set a password, or send a password reset."))
        } else if user.passwordHash == nil {
            found.append(
                SignInFinding(
                    .noPassword, blocks: false,
                    "The account has no password\(aside.passwords.isEmpty ? "" : " in use"). Sign-in works with: "
                        + "\(methods.joined(separator: ", ")).", "Send a password reset if the user wants a password."))
        }
        if !aside.isEmpty {
            found.append(
                SignInFinding(
                    .setAside, blocks: false,
                    "Set aside until used with an emailed code: \(aside.methods.joined(separator: ", ")).",
                    "The user signs in with it, then enters the emailed code."))
        }
        let verified = factors.filter(\.isVerified)
        if user.hasSecondFactor, !verified.isEmpty {
            found.append(
                SignInFinding(
                    .secondFactor, blocks: false,
                    "Each sign-in asks for a second factor: \(verified.map(\.words).joined(separator: ", ")).",
                    "If it is lost, a recovery code helps. Otherwise remove the factor, after verifying who asks."))
        }
        return found
    }

    /// The methods that a sign-in can use now.
    private var methods: [String] {
        let hasAddress = user.email != nil || user.phone != nil
        let isMailable = mailsCodes && user.email != nil && user.times.emailUndeliverableAt == nil
        return (user.passwordHash != nil && hasAddress ? ["password"] : []) + (hasPasskey ? ["passkey"] : [])
            + account.identities.map(\.provider).filter(Identity.isOfProvider) + (isMailable ? ["emailed code"] : [])
    }

    private struct NamedFactor {
        let id, words: String
        let isVerified: Bool
    }

    private var factors: [NamedFactor] {
        // Ignored: our own JSON.
        let entries = user.factors.flatMap { try? JSONReader.read($0) }?.arrayValue ?? []
        return entries.map { entry in
            let kind = entry["factor_type"]?.stringValue.flatMap(Factor.Kind.init(text:))
            let words =
                switch kind {
                case .totp: "authenticator app"
                case .webAuthn: "security key"
                case .phone: "phone number"
                case .recoveryCodes: "recovery codes"
                case nil: "second factor"
                }
            return NamedFactor(
                id: entry["id"]?.stringValue ?? "", words: words, isVerified: entry["status"]?.stringValue == "verified"
            )
        }
    }
}

extension Instant {
    /// `2026-11-23 22:50 UTC`
    var minute: String {
        let parts = "\(self)".split(ascii: "T")
        return "\(parts[0]) \(parts.count > 1 ? String(parts[1]).cut(to: 5) : "") UTC"
    }
}

extension String {
    /// A client can forge the address if the proxy's header is trusted wrongly.
    fileprivate var shownAddress: String { cut(to: 64) }
}
