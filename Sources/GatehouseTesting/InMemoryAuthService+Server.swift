public import Foundation
public import Gatehouse
import GatehouseModel

// What the server offers, its mails, and the user's devices.
extension InMemoryAuthService {
    /// A mail that the server has sent.
    public struct Mail: Hashable, Sendable {
        /// The purpose of a mail.
        public enum Kind: String, Hashable, Sendable {
            /// A mail to reset the password.
            case recovery
            /// A confirmation mail.
            case confirmation
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

    /// The link of a mail; nil without ``redirectTo``. ``openMailLink(_:)`` accepts it until the account is removed.
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
        try await send(.recovery, to: email, .sendPasswordMail)
    }

    public func resendConfirmation(to email: String) async throws {
        try await send(.confirmation, to: email, .resendConfirmation)
    }

    private func send(_ kind: Mail.Kind, to email: String, _ call: Call) async throws {
        try await exchange(call) { server, _ in
            server.mails.append(Mail(kind: kind, email: email.lowercased()))
        } then: { _, _ in
        }
    }

    public func openMailLink(_ url: URL) async throws {
        let words = (url.queryValues["code"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let kind = words.first.flatMap(Mail.Kind.init)
        try await exchange(.openMailLink) { server, _ in
            guard kind != nil, words.count == 2, server.account(email: words[1]) != nil else {
                throw AuthClientError.unknownFlow
            }
        } then: { _, _ in
        }
        switch kind {
        case .recovery: openMail(of: words[1], then: .passwordRecovery)
        case .confirmation: openMail(of: words[1])
        case nil: break
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
            server.sessions[number] = nil
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
