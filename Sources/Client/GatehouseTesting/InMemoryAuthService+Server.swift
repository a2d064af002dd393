public import Foundation
public import Gatehouse
import GatehouseModel

// What the server offers, its mails, and the user's devices.
extension InMemoryAuthService {
    /// A mail that the server has sent. Its code is ``InMemoryAuthService/mailCode(_:to:)``.
    public struct Mail: Hashable, Sendable {
        /// The purpose of a mail.
        public enum Kind: String, Hashable, Sendable {
            /// A mail to reset the password.
            case recovery
            /// A confirmation mail.
            case confirmation
            /// A mail to sign in with.
            case signIn
            /// A mail that confirms an email change, to the new or the current address.
            case emailChange
            /// A mail with the code that answers a link question. Has no link.
            case link
            /// Tells the owner of an account that someone signed up with its address. Has neither code nor link.
            case accountExists
        }

        /// The purpose.
        public var kind: Kind
        /// The address, in lower case.
        public var email: String

        /// For comparison.
        public init(kind: Kind, email: String) {
            self.kind = kind
            self.email = email
        }
    }

    /// What the server offers. Initially Apple, Google, email addresses and mails.
    public var serverSettings: AuthServerSettings {
        get { state.withLock { $0.server.settings } }
        set { state.withLock { $0.server.settings = newValue } }
    }

    /// The mails that were requested, in order. Mails to unknown addresses are among them.
    public var mails: [Mail] { state.withLock { $0.server.mails } }

    /// The code of the newest mail of a kind to an address; nil if there is none that can still be used. A code is valid
    /// for an hour, that of a link question for ten minutes; for five attempts, until one of the last three codes is used
    /// or the password changes.
    public func mailCode(_ kind: Mail.Kind, to email: String) -> String? {
        let now = clock.now
        return state.withLock { $0.server.code(kind, email, at: now)?.text }
    }

    /// The link of a mail; nil without ``redirectTo``. ``openMailLink(_:)`` accepts it until the account is removed; the
    /// one of an email change, as long as its code.
    public func mailLink(_ kind: Mail.Kind, to email: String) -> URL? {
        redirectTo?.appending(queryItems: [URLQueryItem(name: "code", value: "\(kind.rawValue) \(email)")])
    }

    public func settings() async throws -> AuthServerSettings {
        try await exchange(.settings) { server, _ in
            server.settings
        } then: { _, settings in
            settings
        }
    }

    public func sendPasswordMail(to email: String) async throws {
        try await send(.sendPasswordMail) { server, now in server.mailRecovery(to: email, at: now) }
    }

    public func resendConfirmation(to email: String) async throws {
        try await send(.resendConfirmation) { server, now in server.mailConfirmation(to: email, at: now) }
    }

    public func sendSignInMail(to email: String) async throws {
        try await send(.sendSignInMail) { server, now in server.mailSignIn(to: email, at: now) }
    }

    public func resendEmailChange(of email: String) async throws {
        try await send(.resendEmailChange) { server, now in
            guard let account = server.account(email: email) else { return }
            server.mailEmailChange(of: account.user, at: now)
        }
    }

    private func send(_ call: Call, _ work: @Sendable (inout InMemoryServer, Date) -> Void) async throws {
        let now = clock.now
        try await exchange(call) { server, _ in
            work(&server, now)
        } then: { _, _ in
        }
    }

    public func verify(code: String, sentTo email: String, for purpose: EmailOTPType) async throws -> AuthResponse {
        try await redeem(
            .verifyCode, keepsLevel: purpose == .emailChange, then: purpose == .recovery ? .passwordRecovery : nil
        ) { server, caller, now in
            try server.verify(code, sentTo: email, for: purpose, by: caller, at: now)
        }
    }

    public func verify(
        code: String, sentTo email: String, for purpose: EmailOTPType, password: String
    ) async throws -> AuthResponse {
        try await redeem(
            .verifyCode, keepsLevel: purpose == .emailChange, then: purpose == .recovery ? .passwordRecovery : nil
        ) { server, caller, now in
            var prover = caller
            prover.password = password
            return try server.verify(code, sentTo: email, for: purpose, by: prover, at: now)
        }
    }

    public func verify(code: String, restoring ticket: SetAsideTicket) async throws -> AuthResponse {
        try await redeem(.verifyCode, keepsLevel: false, then: nil) { server, caller, now in
            try server.verify(code, restoring: ticket, by: caller, at: now)
        }
    }

    public func startOver() async throws -> Session {
        let kept = try await fresh()
        return try await opened(.startOver) { server, now, _ throws(AuthClientError) in
            try server.startOver(kept, at: now)
        }
    }

    public func openMailLink(_ url: URL) async throws {
        let words = (url.queryValues["code"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let kind = words.first.flatMap(Mail.Kind.init)
        try await redeem(
            .openMailLink, keepsLevel: kind == .emailChange, then: kind == .recovery ? .passwordRecovery : nil
        ) { server, caller, now in
            guard let kind, words.count == 2 else { throw AuthClientError.unknownFlow }
            return try server.follow(kind, words[1], by: caller, at: now)
        }
    }

    /// Makes a call that spends a mail's proof. A new session takes the place of the same user's current one.
    ///
    /// - Parameter keepsLevel: Whether the new session has the level of the one that it replaces.
    @discardableResult
    private func redeem(
        _ call: Call, keepsLevel: Bool, then event: AuthChangeEvent?,
        _ spend: @Sendable (inout InMemoryServer, Prover, Date) throws -> InMemoryServer.Opened?
    ) async throws -> AuthResponse {
        let (begun, now, uptime) = (begin(), clock.now, clock.uptime)
        // The session's token binds the proof to its account.
        let caller = Prover(session: state.withLock { $0.device.kept?.id })
        return try await exchange(call) { server, _ in
            try spend(&server, caller, now)
        } then: { state, opened in
            guard var opened else { return .pending }
            let old = state.device.kept
            if keepsLevel, let old, old.session.user.id == opened.session.user.id {
                opened = try state.server.keepLevel(of: old.id, in: opened, at: now)
            }
            let session = try state.device.adopt(opened, begun: begun, at: uptime, then: event)
            if let old, old.session.user.id == session.user.id { state.server.sessions[old.id] = nil }
            return .session(session)
        }
    }

    /// Adds a session on another device.
    ///
    /// Does nothing if no account has the address.
    public func addDevice(userAgent: String?, of email: String = "ada@example.com") {
        let now = clock.now
        state.withLock { state in
            guard let id = state.server.account(email: email)?.user.id else { return }
            let number = state.server.number()
            state.server.sessions[number] = id
            state.server.devices[number] = SessionInfo(id: Fixtures.id(number), createdAt: now, userAgent: userAgent)
        }
    }

    public func sessions() async throws -> [SessionInfo] {
        let kept = try await fresh()
        try await asUser(.sessions) { _, _ throws(AuthClientError) in }
        return state.withLock { state in
            let mine = state.server.sessions.filter { $0.value == kept.session.user.id }.keys
            let all = mine.compactMap { number in
                var device = state.server.devices[number]
                device?.isCurrent = number == kept.id
                return device
            }
            return all.sorted { first, second in
                if first.isCurrent != second.isCurrent { return first.isCurrent }
                return (first.lastUsedAt, first.id.wire) > (second.lastUsedAt, second.id.wire)
            }
        }
    }

    public func revokeSession(id: UUID) async throws {
        try await asUser(.revokeSession) { server, kept throws(AuthClientError) in
            let number = server.devices.first { $0.value.id == id }?.key
            guard let number, server.sessions[number] == kept.session.user.id else {
                throw Fault.refused(404, .notFound)
            }
            (server.sessions[number], server.ends[number]) = (nil, .signedOut)
        }
    }
}

// The connection.
extension InMemoryAuthService {
    public var reachability: Reachability {
        Reachability { [weak self] in
            self?.state.withLock { $0.device.isOffline } ?? false
        } changes: { [weak self] in
            let (stream, continuation) = AsyncStream<Bool>.makeStream()
            self?.state.withLock { $0.device.watch(continuation) }
            return stream
        }
    }

    /// The device loses its connection: as ``Fault/offline`` for every call, and the system knows it.
    public func goOffline() {
        stay(.offline)
        state.withLock { $0.device.setOffline(true) }
    }

    /// The device has a connection again, and no faults.
    public func goOnline() {
        clear()
        state.withLock { $0.device.setOffline(false) }
    }
}
