import AccountDomain
import AccountStore
import Crypto
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension AuthServer {
    /// `POST /token?grant_type=…`
    @Sendable func grant(_ request: Request, _ context: ServerContext) async throws -> Response {
        switch Query(request)["grant_type"] {
        case "refresh_token": return try await refresh(request, context)
        case "password":
            return try await withTimeLimit(floor.requestTimeLimit, sleep: floor.sleep) {
                try await signIn(request, context)
            }
        case "id_token":
            return try await withTimeLimit(floor.requestTimeLimit, sleep: floor.sleep) {
                try await signInByIDToken(request, context)
            }
        case "pkce": return try await redeemCode(request, context)
        case "link_confirmation": return try await confirmLink(request, context)
        case "link_recovery": return try await recoverAddress(request, context)
        case "web3": throw Refusal(.unprocessableContent, "web3_provider_disabled", "Web3 provider is disabled")
        default: throw Refusal(.badRequest, "invalid_credentials", "unsupported_grant_type")
        }
    }

    private func refresh(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let text = try body.secret("refresh_token") ?? Secret("")
        guard let outcome = try await outcome(of: text, from: device(request, context)) else {
            counts.refreshes.increment("malformed")
            // The first version of the protocol's tokens: well-formed, and none of ours.
            throw Self.isFirstVersion(text)
                ? Refusal.unknownRefreshToken : Refusal.invalid("Refresh token is not valid")
        }
        counts.refreshes.increment(outcome.label)
        switch outcome {
        case .issued(let issued, _): return try answer(issued)
        case .unknown: throw Refusal.unknownRefreshToken
        case .ahead: throw Refusal.invalid("Refresh token is not valid")
        case .banned: throw Refusal(.badRequest, .userBanned, "Invalid Refresh Token: User Banned")
        case .expired: throw Refusal(.badRequest, "session_expired", "Invalid Refresh Token: Session Expired")
        case .reused:
            throw Refusal(.badRequest, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        }
    }

    /// - Returns: nil for what is neither of our form nor a token that came with an import.
    private func outcome(of token: Secret, from device: Device) async throws -> RefreshOutcome? {
        if let presented = RefreshToken(token) {
            return try await accounts.refresh(presented, from: device, at: floor.now())
        }
        guard let imported = ImportedRefreshToken(token) else { return nil }
        return try await accounts.refresh(imported, from: device, at: floor.now())
    }

    private static func isFirstVersion(_ token: Secret) -> Bool {
        let text = token.reveal()
        return text.utf8.count == 12
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    private func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let password = try body.secret("password") ?? Secret("")
        let holder = try await passwordHolder(body, password, request, context)
        let upgraded = holder.needsUpgrade ? try await hashed(password) : nil
        switch try await accounts.signIn(
            holder.account, upgradedHash: upgraded, from: device(request, context), at: floor.now())
        {
        case .signedIn(let issued):
            counts.signIns.increment("password", "signed_in")
            return try answer(issued, weakPassword: strengthMember(of: password, email: holder.account.user.email))
        case .changedMeanwhile: throw wrongCredentials()
        }
    }

    /// Whose `email` and `password` these are.
    ///
    /// - Throws: The refusals of the password grant, in the contract's order.
    func passwordHolder(
        _ body: JSONMembers, _ password: Secret, _ request: Request, _ context: ServerContext
    ) async throws -> (account: Account, checkedHash: Secret, needsUpgrade: Bool) {
        let address = try signInAddress(body)
        let tries = try await takeTry(address, request, context)
        let account: Account? =
            if let email = EmailAddress(address) { try await accounts.account(email: email) } else { nil }
        // The same work whether there is such an account or not (requirement D10).
        let check = try await check(password, against: account?.user.passwordHash)
        if let account, account.user.isBanned(at: floor.now()) {
            counts.signIns.increment("password", "banned")
            throw Refusal(.badRequest, .userBanned, "User is banned")
        }
        guard let account, let hash = account.user.passwordHash, check.isMatch else { throw wrongCredentials() }
        try await tries.giveBack()
        guard account.user.times.emailConfirmedAt != nil else {
            counts.signIns.increment("password", "unconfirmed")
            throw Refusal(.badRequest, "email_not_confirmed", "Email not confirmed")
        }
        return (account, hash, check.needsUpgrade)
    }

    func wrongCredentials() -> Refusal {
        counts.signIns.increment("password", "wrong_credentials")
        return Refusal(.badRequest, "invalid_credentials", "Invalid login credentials")
    }

    private func signInAddress(_ body: JSONMembers) throws -> String {
        let email = try body.string("email") ?? ""
        let phone = try body.string("phone") ?? ""
        guard email.isEmpty || phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided on login.")
        }
        guard phone.isEmpty else {
            throw Refusal(.unprocessableContent, "phone_provider_disabled", "Phone logins are disabled")
        }
        guard !email.isEmpty else { throw Refusal.invalid("missing email or phone") }
        guard settings.allowsEmail else {
            throw Refusal(.unprocessableContent, "email_provider_disabled", "Email logins are disabled")
        }
        return email
    }
}

// Wrong passwords are limited by address and by account, and counted before the check: a hundred tries at once
// are a hundred tries. A right password gives its try back.
extension AuthServer {
    struct Try: Sendable {
        let limiter: RateLimiter?
        let address: String?
        let account: String

        func giveBack() async throws {
            if let address { try await limiter?.giveBack(Limits.failedSignInsByAddress, key: address) }
            try await limiter?.reset(Limits.failedSignInsByAccount, key: account)
        }
    }

    func takeTry(_ address: String, _ request: Request, _ context: ServerContext) async throws -> Try {
        let caller = floor.clientAddress.limitKey(peer: context.peerAddress, request.headers)
        // A digest: an address is no key to keep in memory for an hour.
        let account = Base64URL.text(Array(SHA256.hash(data: Array(address.lowercased().utf8))))
        let now = floor.now()
        if let caller { try await floor.limiter?.require(Limits.failedSignInsByAddress, key: caller, at: now) }
        try await floor.limiter?.require(Limits.failedSignInsByAccount, key: account, at: now)
        return Try(limiter: floor.limiter, address: caller, account: account)
    }
}

extension RefreshOutcome {
    fileprivate var label: String {
        switch self {
        case .issued(_, let verdict): verdict.rawValue
        case .unknown: "unknown"
        case .banned: "banned"
        case .expired: "expired"
        case .ahead: "ahead"
        case .reused: "revoke"
        }
    }
}

extension Refusal {
    fileprivate static let unknownRefreshToken = Refusal(
        .badRequest, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
}
