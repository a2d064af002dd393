import Foundation
import Gatehouse
import GatehouseModel

struct InMemoryServer: Sendable {
    struct Account: Sendable {
        var user: AuthUser
        var profile: ProfileSummary?
        var password: String?
        /// From competing sign-ups, or set aside by a proof.
        var otherPasswords: [OtherPassword] = []
        var entered: AuthJSONObject = [:]
        var isConfirmed = true
        var isEmailProven = false
        var isPhoneProven = false
    }

    struct Caller: Sendable {
        var id: Int
        var user: UUID
    }

    struct Opened: Sendable {
        var session: AuthSession
        var id: Int
    }

    var accounts: [Account] = []
    /// Owners by session number.
    var sessions: [Int: UUID] = [:]
    /// By session number.
    var ends: [Int: SessionEndReason] = [:]
    /// By session number.
    var endCodes: [Int: AuthErrorCode] = [:]
    /// By access token.
    var callers: [String: Caller] = [:]
    /// Session numbers by refresh token.
    var refreshes: [String: Int] = [:]
    var linkFlows: [String: Caller] = [:]
    var mailLinks: [InMemoryAuthService.Mail: MailLink] = [:]
    /// By session number.
    var devices: [Int: SessionInfo] = [:]
    /// Thumbprints of bound sessions' keys, by session number.
    var keys: [Int: String] = [:]
    var usedProofs: Set<String> = []
    /// Of other sessions, by session number.
    var children: [Int: InMemoryChild] = [:]
    /// The current request's.
    var presented: InMemoryProof?
    var settings: AuthServerSettings = {
        var settings = AuthServerSettings(
            providers: [.apple, .google], allowsEmail: true, sendsMail: true, codeLength: 6)
        settings.phoneCodeLength = 6
        return settings
    }()
    var mails: [InMemoryAuthService.Mail] = []
    var texts: [InMemoryAuthService.TextMessage] = []
    var codes: [MailedCode] = []
    /// Identities by session number.
    var openers: [Int: UUID] = [:]
    var questions: [AuthLinkTicket: AskedLink] = [:]
    /// By added identity.
    var links: [UUID: MadeLink] = [:]
    var undone: Set<String> = []
    var vouching: Set<UUID> = []
    var setAsideIdentities: [String: SetAsideIdentity] = [:]
    var setAsideTickets: [AuthSetAsideTicket: SetAsidePasskey] = [:]
    /// Opened by a code or link, by session number.
    var mailedSessions: [Int: Date] = [:]
    /// The last email, by purpose.
    var mailedAt: [MailedAddress: Date] = [:]
    var unlinked: [UUID: Set<String>] = [:]
    var protection = InMemoryProtection()
    /// Oldest first.
    var authorizations: [InMemoryAuthorization] = []
    var grants: [InMemoryGrant] = []
    var reportedClients: [String] = []
    var confirmsAutomatically = true
    static let lifetime: TimeInterval = 3_600
    private var count = 0

    mutating func number() -> Int {
        count += 1
        return count
    }

    private func index(_ id: UUID) -> Int? { accounts.firstIndex { $0.user.id == id } }
    private func index(email: String) -> Int? { accounts.firstIndex { $0.user.email == email.lowercased() } }
    func account(_ id: UUID) -> Account? { index(id).map { accounts[$0] } }
    func account(email: String) -> Account? { index(email: email).map { accounts[$0] } }

    /// Does nothing if the account does not exist.
    mutating func update(_ id: UUID, _ change: (inout Account) -> Void) {
        guard let index = index(id) else { return }
        change(&accounts[index])
        let user = accounts[index].user
        if user.isAnonymous, user.email != nil || user.identities?.isEmpty == false {
            accounts[index].user.isAnonymous = false
        }
    }

    typealias Fault = InMemoryAuthService.Fault
    typealias Call = InMemoryAuthService.Call
}

extension InMemoryServer {
    /// - Returns: The user if an email must confirm the sign-up.
    mutating func signUp(
        _ email: String, _ password: String, _ firstName: String?, at now: Date
    ) throws(AuthClientError) -> (Opened?, AuthUser) {
        guard Self.isLongEnough(password) else {
            throw .refused(AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: ["length"]))
        }
        if index(email: email) != nil {
            guard !confirmsAutomatically else { throw Fault.refused(422, .userAlreadyExists) }
            mailing.repeatSignUp(
                email, CompetingSignUp(password: password, metadata: Self.metadata(firstName)), at: now)
            // Hides that the address is registered.
            let id = Fixtures.id(number())
            return (nil, AuthUser(id: id, role: nil, email: email.lowercased(), createdAt: now, updatedAt: now))
        }
        let id = add(email: email, firstName: firstName, at: now)
        link(.email, person: id.wire, email: email, to: id, at: now)
        let isConfirmed = confirmsAutomatically
        update(id) { account in
            (account.password, account.isConfirmed) = (password, isConfirmed)
            account.entered = account.user.userMetadata
        }
        guard let account = account(id) else { throw Fault.refused(500, .unexpectedFailure) }
        if !isConfirmed { mailing.mailConfirmation(to: email, at: now) }
        return (account.isConfirmed ? try open(id, at: now) : nil, account.user)
    }

    mutating func signInAnonymously(at now: Date) throws(AuthClientError) -> Opened {
        guard settings.allowsAnonymousSignIn else { throw Fault.refused(422, .anonymousProviderDisabled) }
        let id = add(email: nil, firstName: nil, at: now)
        update(id) { $0.user.isAnonymous = true }
        return try open(id, at: now)
    }

    mutating func signIn(_ email: String, _ password: String, at now: Date) throws(AuthClientError) -> Opened {
        guard let account = account(email: email) else {
            return try signIn(formerly: email, password, at: now)
        }
        guard account.password == password || account.otherPasswords.contains(where: { $0.text == password }) else {
            return try signIn(formerly: email, password, at: now)
        }
        guard account.isConfirmed else { throw Fault.refused(400, .emailNotConfirmed) }
        guard account.password == password else {
            proving.mailRestoring(of: account, at: now)
            throw Fault.refused(403, .credentialSetAside)
        }
        return try open(account.user.id, at: now)
    }

    private mutating func signIn(
        formerly email: String, _ password: String, at now: Date
    ) throws(AuthClientError) -> Opened {
        let former = accounts.last { $0.user.formerEmail == email.lowercased() && $0.password == password }
        guard let former else { throw Fault.refused(400, .invalidCredentials) }
        return try open(former.user.id, at: now)
    }

    /// - Throws: 400 without a code for an invalid token, as in the API.
    static func token(of credentials: IDTokenCredentials) throws(AuthClientError) -> ScriptedToken {
        guard var token = ScriptedToken(credentials.idToken), token.provider == credentials.provider,
            token.nonce == credentials.nonce.map({ SignInNonce(raw: $0).hashed })
        else { throw Fault.refused(400) }
        token.name = credentials.name
        return token
    }

    mutating func add(email: String?, firstName: String?, as known: UUID? = nil, at now: Date) -> UUID {
        let id = known ?? Fixtures.id(number())
        let metadata = Self.metadata(firstName)
        let name = firstName?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        let profile = ProfileSummary(id: id, firstName: name.isEmpty ? nil : String(name.prefix(50)), createdAt: now)
        let user = AuthUser(
            id: id, userMetadata: metadata, email: email?.lowercased(), identities: [], createdAt: now, updatedAt: now)
        accounts.append(Account(user: user, profile: profile))
        return id
    }

    /// As the server: Unicode scalars of the composed form.
    static func isLongEnough(_ password: String) -> Bool {
        password.precomposedStringWithCanonicalMapping.unicodeScalars.count >= 8
    }

    static func metadata(_ firstName: String?) -> AuthJSONObject {
        firstName.map { ["first_name": .string($0)] } ?? [:]
    }
}

extension InMemoryServer {
    /// - Parameter isVerified: Whether the provider has verified the address.
    @discardableResult
    mutating func link(
        _ provider: AuthProvider, person: String, email: String?, isVerified: Bool = false, to id: UUID, at now: Date
    ) -> UUID {
        let number = Fixtures.id(number())
        guard let index = index(id) else { return number }
        if isVerified { vouching.insert(number) }
        var data: AuthJSONObject = ["sub": .string(person)]
        data["email"] = email.map(AuthJSON.string)
        let identity = AuthUserIdentity(
            id: person, identityID: number, userID: id, identityData: data, provider: provider.rawValue, email: email,
            createdAt: now, updatedAt: now, lastSignInAt: now)
        setIdentities((accounts[index].user.identities ?? []) + [identity], of: id)
        return number
    }

    mutating func setIdentities(_ identities: [AuthUserIdentity], of id: UUID) {
        guard let index = index(id) else { return }
        let providers = identities.map { AuthJSON.string($0.provider) }
        accounts[index].user.identities = identities
        accounts[index].user.appMetadata["providers"] = .array(providers)
        if accounts[index].user.appMetadata["provider"] == nil {
            accounts[index].user.appMetadata["provider"] = providers.first
        }
    }

    /// A new address waits for confirmation unless automatic. A new password ends the other sessions.
    mutating func update(
        _ caller: Caller, _ request: InMemoryRequest, at now: Date
    ) throws(AuthClientError) {
        let id = caller.user
        let (password, email) = (request.body["password"]?.stringValue, request.body["email"]?.stringValue)
        let phone = request.body["phone"]?.stringValue
        if password != nil || email != nil || phone != nil {
            try factors.requireLevel(caller.id, status: 401)
            try check(request.body["current_password"]?.stringValue, of: id)
        }
        if let password {
            guard Self.isLongEnough(password) else {
                throw .refused(AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: ["length"]))
            }
            guard account(id)?.password != password else { throw Fault.refused(422, .samePassword) }
        }
        if let email = email?.lowercased(), email != account(id)?.user.email {
            guard index(email: email) == nil else { throw Fault.refused(422, .emailExists) }
            begin(email, of: id, at: now)
        }
        if let phone { try phones.begin(phone: phone, of: id, at: now) }
        if let password {
            update(id) { ($0.password, $0.otherPasswords) = (password, []) }
            proving.showSetAside(of: id)
            codes.removeAll { $0.owner == id }
            end(.passwordChanged) { $0.value == id && $0.key != caller.id }
        }
        let data = request.body["data"]?.objectValue ?? [:]
        update(id) { $0.user.userMetadata.merge(deletingNulls: data) }
    }

    /// This server never requires the current password.
    private func check(_ current: String?, of id: UUID) throws(AuthClientError) {
        guard let current, !current.isEmpty, let known = account(id)?.password else { return }
        guard current == known else { throw Fault.refused(400, .currentPasswordInvalid) }
    }

    mutating func begin(_ email: String, of id: UUID, at now: Date) {
        guard !confirmsAutomatically else { return setEmail(email, of: id, isProven: false, at: now) }
        if account(id)?.user.newEmail != email {
            codes.removeAll { $0.owner == id && ($0.slot == .newEmail || $0.slot == .currentEmail) }
        }
        update(id) { $0.user.newEmail = email }
        if let account = account(id) { mailing.mailEmailChange(of: account.user, at: now) }
    }

    mutating func setEmail(_ email: String, of id: UUID, isProven: Bool, at now: Date) {
        update(id) { account in
            (account.user.email, account.user.newEmail) = (email, nil)
            (account.user.formerEmail, account.user.formerEmailMovedAt) = (nil, nil)
            (account.isConfirmed, account.isEmailProven) = (true, isProven)
        }
        let others = (account(id)?.user.identities ?? []).filter { $0.provider != AuthProvider.email.rawValue }
        setIdentities(others, of: id)
        link(.email, person: id.wire, email: email, to: id, at: now)
    }

    mutating func remove(_ id: UUID) {
        accounts.removeAll { $0.user.id == id }
        codes.removeAll { $0.owner == id }
        grants.removeAll { $0.owner == id }
        authorizations.removeAll { $0.owner == id }
        setAsideIdentities = setAsideIdentities.filter { $0.value.owner != id }
        end(.accountDeleted) { $0.value == id }
    }
}
