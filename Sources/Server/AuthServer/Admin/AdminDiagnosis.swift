package import AccountDomain
package import AccountStore
package import GatehouseWire
import HTTPServing
import Hummingbird

/// Why a user cannot sign in. Contains no secrets.
package struct SignInDiagnosis: Sendable {
    package let user: User
    package let findings: [SignInFinding]
    /// Newest first.
    package let refusals: [RefusedSignIn]
    package let ban: BanNote?
    package let lastEnd: EndedSession?
}

extension AccountLocks {
    /// - Parameter mailsCodes: Whether the server emails codes.
    package func diagnosis(of account: Account, mailsCodes: Bool, at now: Instant) async throws -> SignInDiagnosis {
        let user = account.user
        let refusals = try await accounts.signIns.refusals(of: user.id)
        let ban = try await accounts.admin.banNote(of: user.id)
        let passkeys = try await accounts.passkeys.all(of: user.id)
        let ended = try await accounts.sessions.endedSessions(of: user.id, limit: 1, at: now)
        var facts = SignInFacts(account: account, now: now)
        facts.hasPasskey = passkeys.contains { $0.setAsideAt == nil }
        facts.mailsCodes = mailsCodes
        facts.ban = ban
        facts.locks = try await locks(of: user, refusals, at: now)
        facts.factorLocks = try await accounts.admin.factorLocks(of: user.id, at: now)
        return SignInDiagnosis(
            user: user, findings: facts.findings, refusals: refusals, ban: user.isBanned(at: now) ? ban : nil,
            lastEnd: ended.first)
    }
}

extension AuthServer {
    var locks: AccountLocks { AccountLocks(attempts, accounts) }
}

extension AdminHandlers {
    /// `GET /admin/users/{user_id}/diagnosis`. Includes deleted users.
    @Sendable func showDiagnosis(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await namedAccount(context)
        // This node's newest refusals; other nodes' follow within seconds.
        try await server.writeRefusals()
        let found = try await server.locks.diagnosis(
            of: account, mailsCodes: settings.mail != nil && settings.allowsEmail, at: runtime.now())
        return Answer.json { $0.signInDiagnosis(found) }
    }

    /// `POST /admin/users/{user_id}/unlock`. Resets the limits of failed sign-ins.
    @Sendable func unlockUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await namedAccount(context)
        guard account.user.times.deletedAt == nil else { throw Refusal.unknownUser }
        try await server.writeRefusals()
        try await server.locks.unlock(account.user, from: try callers.device(request, context), at: runtime.now())
        return Answer.empty(.noContent)
    }
}

extension JSONWriter {
    fileprivate mutating func signInDiagnosis(_ diagnosis: SignInDiagnosis) {
        beginObject()
        member("user_id", diagnosis.user.id.text)
        member("can_sign_in", !diagnosis.findings.contains(where: \.blocks))
        list("findings", diagnosis.findings) { $0.signInFinding($1) }
        list("refusals", diagnosis.refusals) { $0.refusedSignIn($1) }
        if let ban = diagnosis.ban {
            name("ban")
            beginObject()
            member("reason", ban.reason)
            member("actor_username", ban.actorName)
            member("created_at", ban.at)
            endObject()
        }
        member("last_sign_in_at", ifPresent: diagnosis.user.times.lastSignInAt)
        if let end = diagnosis.lastEnd {
            name("last_ended_session")
            endedSession(end)
        }
        endObject()
    }

    private mutating func signInFinding(_ finding: SignInFinding) {
        beginObject()
        member("code", finding.code.rawValue)
        member("blocks", finding.blocks)
        member("since", ifPresent: finding.since)
        member("until", ifPresent: finding.until)
        member("bucket", ifPresent: finding.bucket)
        member("ip", ifPresent: finding.address)
        member("text", finding.text)
        member("advice", finding.advice)
        endObject()
    }

    private mutating func refusedSignIn(_ refusal: RefusedSignIn) {
        beginObject()
        member("method", refusal.method.rawValue)
        member("code", refusal.code)
        member("text", refusal.story)
        member("count", refusal.count)
        member("first_at", refusal.firstAt)
        member("last_at", refusal.lastAt)
        member("bucket", ifPresent: refusal.bucket)
        member("until", ifPresent: refusal.until)
        member("user_agent", ifPresent: refusal.userAgent)
        member("ip", ifPresent: refusal.address)
        member("request_id", ifPresent: refusal.requestID)
        endObject()
    }
}

extension RefusedSignIn {
    /// One sentence for an operator.
    package var story: String {
        switch AuthErrorCode(code) {
        case .invalidCredentials: "Wrong password."
        case .userBanned: "Right, but the account was banned."
        case .emailNotConfirmed, .phoneNotConfirmed: "Right password or passkey, but the address was unconfirmed."
        case .credentialSetAside: "Set aside: it works together with an emailed code."
        case .captchaFailed: "The captcha was missing or wrong."
        case .overRequestRateLimit: "A limit refused the attempt without checking it."
        case .otpExpired: "Wrong, used or expired code."
        case .mfaVerificationFailed: "Wrong answer of a second factor."
        case .mfaChallengeExpired: "The question for the second factor had expired."
        case .mfaVerificationRejected: "A hook rejected the second factor, and ended the sessions."
        case .webauthnVerificationFailed: "The passkey's response was invalid."
        case .providerEmailNeedsVerification: "The provider has not verified its email address."
        case .identityNeedsConfirmation: "The account was asked to confirm that the provider's sign-in is its own."
        case .signupDisabled: "The provider's account is not linked, and sign-up is disabled."
        default: code.utf8.elementsEqual(Self.ofHook.utf8) ? "A hook rejected the sign-in." : "Refused: \(code)."
        }
    }
}
