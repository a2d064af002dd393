import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension SignInHandlers {
    /// `POST /token?grant_type=…`.
    @Sendable func grant(_ request: Request, _ context: ServerContext) async throws -> Response {
        switch Query(request)["grant_type"] {
        case "refresh_token": return try await refresh(request, context)
        case "password":
            return try await server.inUniformTime {
                try await runtime.limited(to: runtime.requestTimeLimit) {
                    try await signIn(request, context)
                }
            }
        case "id_token":
            return try await runtime.limited(to: runtime.requestTimeLimit) {
                try await server.identities.signInByIDToken(request, context)
            }
        case "pkce": return try await server.identities.redeemCode(request, context)
        case "link_confirmation": return try await server.identities.confirmLink(request, context)
        case "link_recovery": return try await server.identities.recoverAddress(request, context)
        case "web3": throw Refusal(.unprocessableContent, .web3ProviderDisabled, "Web3 provider is disabled")
        default: throw Refusal(.badRequest, .invalidCredentials, "unsupported_grant_type")
        }
    }

    private func refresh(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let text = try body.secret("refresh_token") ?? Secret("")
        let device = try callers.sessionDevice(request, context)
        guard let outcome = try await outcome(of: text, from: device) else {
            counts.refreshes.increment("malformed")
            // A well-formed token of Supabase's first format that this server did not issue.
            throw Self.isFirstVersion(text)
                ? Refusal.unknownRefreshToken : Refusal.invalid("Refresh token is not valid")
        }
        counts.refreshes.increment(outcome.label)
        switch outcome {
        case .issued(let issued, let verdict):
            let response = try await server.tokens.answer(issued, to: device, isRefresh: true)
            if verdict == .reissueLate {
                try await accounts.sessions.recordRepeat(of: issued, from: device, at: runtime.now())
            }
            return response
        case .unknown(let reason): throw Refusal.unknownRefreshToken.telling(reason)
        case .ahead: throw Refusal.invalid("Refresh token is not valid")
        case .unproven: throw Refusal.unproven
        case .banned:
            throw Refusal(.badRequest, .userBanned, "Invalid Refresh Token: User Banned").telling(.banned)
        case .expired(let reason):
            let detail = reason == .lowLevel ? " (Low AAL: User Needs MFA Verification)" : ""
            throw Refusal(.badRequest, .sessionExpired, "Invalid Refresh Token: Session Expired" + detail)
                .telling(reason)
        case .reused:
            throw Refusal(.badRequest, .refreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used")
                .telling(.tokenReused)
        }
    }

    /// - Returns: nil for a token neither ours nor imported.
    private func outcome(of token: Secret, from device: Device) async throws -> RefreshOutcome? {
        if let presented = RefreshToken(token) {
            // Recorded with the response: clients repeat their tokens while a hook fails.
            return try await accounts.sessions.refresh(
                presented, from: device, recordsRepeats: false, at: runtime.now())
        }
        guard let imported = ImportedRefreshToken(token) else { return nil }
        return try await accounts.transfers.refresh(imported, from: device, recordsRepeats: false, at: runtime.now())
    }

    private static func isFirstVersion(_ token: Secret) -> Bool {
        let text = token.reveal()
        return text.utf8.count == 12 && text.utf8.allSatisfy(\.isLowerAlphanumeric)
    }

    private func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let device = try callers.sessionDevice(request, context)
        return try await server.noting(.password, of: RefusedSubject(body), from: device) {
            try await signIn(body, from: device, request, context)
        }
    }

    private func signIn(
        _ body: JSONMembers, from device: Device, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        try await server.requireCaptcha(body, request, context)
        let password = try body.secret("password") ?? Secret("")
        // Retries once if the account changes in between, such as by a rehash.
        for _ in 0..<2 {
            let holder = try await passwordHolder(body, password, request, context)
            let outcome = try await server.tokens.issuing(to: device) {
                try await $0.signIns.signIn(holder.account, from: device, at: $1)
            }
            guard case .signedIn(let issued) = outcome else { continue }
            counts.signIns.increment("password", "signed_in")
            if holder.needsUpgrade {
                server.upgradeHash(holder.checkedHash, of: holder.account.user.id, password, context)
            }
            var response = try await server.tokens.answer(
                issued, to: device, weakPassword: strengthMember(of: password, email: holder.account.user.email))
            server.mark(&response, of: holder.account.user, for: request)
            return response
        }
        throw wrongCredentials()
    }

    struct PasswordHolder: Sendable {
        let account: Account
        let checkedHash: Secret
        let needsUpgrade: Bool
        /// The password awaits a proof of the mailbox.
        var isSetAside = false
        /// The address has moved to another account.
        var isFormer = false
    }

    /// A password that is set aside, or whose address has moved away. Leaves all counts as they are, so it cannot reset
    /// the limit on guesses.
    private struct OtherPassword: Error { let holder: PasswordHolder }

    /// - Throws: The grant's refusals, in the order of Supabase Auth. Only the correct password reveals a ban or a
    ///   missing confirmation.
    func passwordHolder(
        _ body: JSONMembers, _ password: Secret, _ request: Request, _ context: ServerContext
    ) async throws -> PasswordHolder {
        let named = try signInAddress(body)
        let device = try callers.sessionDevice(request, context)
        var rejection: Refusal?
        var found: PasswordHolder?
        do {
            found = try await server.attempt(at: named, request, context) { account in
                let holder = try await self.holder(
                    of: password, account, named.address?.email, for: source(request, context))
                if let asked = holder?.account ?? account {
                    rejection = try await self.rejection(
                        ofPasswordOf: asked.user, isRight: holder != nil, from: device)
                }
                guard rejection == nil, let holder else { return nil }
                if holder.isSetAside || holder.isFormer { throw OtherPassword(holder: holder) }
                return holder
            }
        } catch let other as OtherPassword {
            found = other.holder
        }
        guard let found else {
            let refusal = wrongCredentials()
            throw rejection ?? refusal
        }
        if found.account.user.isBanned(at: runtime.now()) {
            counts.signIns.increment("password", "banned")
            throw Refusal(.badRequest, .userBanned, "User is banned")
        }
        try requireConfirmed(found.account.user, byPhone: named.address?.phone != nil)
        guard !found.isSetAside else {
            counts.signIns.increment("password", "set_aside")
            throw try await server.users.setAside(found.account.user, Refusal.passwordSetAside, request, context)
        }
        return found
    }

    private func requireConfirmed(_ user: User, byPhone: Bool) throws {
        let isConfirmed =
            byPhone
            ? user.times.phoneConfirmedAt != nil : user.times.emailConfirmedAt != nil || user.formerEmail != nil
        guard !isConfirmed else { return }
        counts.signIns.increment("password", "unconfirmed")
        throw byPhone
            ? Refusal(.badRequest, .phoneNotConfirmed, "Phone not confirmed")
            : Refusal(.badRequest, .emailNotConfirmed, "Email not confirmed")
    }

    /// Also accounts that the address moved from. Constant work with or without an account, unless passwords are set
    /// aside or the address moved.
    private func holder(
        of password: Secret, _ account: Account?, _ email: EmailAddress?, for source: HashingSource
    ) async throws -> PasswordHolder? {
        let hash = account?.user.passwordHash
        let waiting = account?.user.setAside.passwords.map(\.hash) ?? []
        if hash != nil || waiting.isEmpty {
            let check = try await check(password, against: hash, for: source)
            if let account, let hash, check.isMatch {
                return PasswordHolder(account: account, checkedHash: hash, needsUpgrade: check.needsUpgrade)
            }
        }
        if let account, !waiting.isEmpty, let match = try await firstMatch(of: password, among: waiting, for: source) {
            return PasswordHolder(account: account, checkedHash: match, needsUpgrade: false, isSetAside: true)
        }
        guard let email else { return nil }
        for former in try await accounts.links.accounts(formerly: email) {
            guard let hash = former.user.passwordHash else { continue }
            let check = try await check(password, against: hash, for: source)
            guard check.isMatch else { continue }
            return PasswordHolder(
                account: former, checkedHash: hash, needsUpgrade: check.needsUpgrade, isFormer: true)
        }
        return nil
    }

    func wrongCredentials() -> Refusal {
        counts.signIns.increment("password", "wrong_credentials")
        return Refusal(.badRequest, .invalidCredentials, "Invalid login credentials")
    }

    private func signInAddress(_ body: JSONMembers) throws -> AttemptedAccount {
        let email = try body.string("email") ?? ""
        let phone = try body.string("phone") ?? ""
        guard email.isEmpty || phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided on login.")
        }
        guard phone.isEmpty else {
            _ = try texts.requirePhone(or: .unprocessableContent, "Phone logins are disabled", sends: false)
            return AttemptedAccount(.phone(try PhoneNumber(checking: phone)))
        }
        guard !email.isEmpty else { throw Refusal.invalid("missing email or phone") }
        guard settings.allowsEmail else {
            throw Refusal(.unprocessableContent, .emailProviderDisabled, "Email logins are disabled")
        }
        return AttemptedAccount(email: email)
    }
}

extension RefreshOutcome {
    var label: String {
        switch self {
        case .issued(_, let verdict): verdict.rawValue
        case .unknown: "unknown"
        case .banned: "banned"
        case .expired: "expired"
        case .ahead: "ahead"
        case .unproven(let isReplay): isReplay ? "replayed_proof" : "unproven"
        case .reused: "revoke"
        }
    }
}

extension Refusal {
    fileprivate static let unknownRefreshToken = Refusal(
        .badRequest, .refreshTokenNotFound, "Invalid Refresh Token: Refresh Token Not Found")
}
