public import Gatehouse
public import Observation

/// The state of the screen that lists, adds, removes and undoes sign-in methods.
///
/// Changes return their work, which outlives the screen.
@MainActor @Observable
public final class SignInMethodsModel {
    /// The screen's phase.
    public typealias Phase = ListPhase

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The account's sign-in methods.
    public private(set) var identities: [AuthUserIdentity] = []
    /// The recent links that can be undone, newest first.
    public private(set) var undoable: [AuthUndoableLink] = []
    private var hasPasskey = false
    private let manager: AuthManager
    /// Outdates lists being loaded.
    @ObservationIgnored private var changes = 0

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// Whether another method or a passkey remains after a removal.
    public var canRemove: Bool { identities.count > 1 || hasPasskey }

    /// The message about the last change.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether the account has this provider; `email` means a password.
    public func has(_ provider: AuthProvider) -> Bool { identities.contains { $0.provider == provider.rawValue } }

    /// The providers to add, Apple first.
    ///
    /// - Parameter hasBrowser: Includes providers other than Apple.
    public func additions(hasBrowser: Bool) -> [AuthMethod] {
        let offered = manager.serverSettings?.providers.map { AuthMethod($0) } ?? [.apple, .google]
        return LoginModel.sorted(offered).filter { method in
            (hasBrowser || method == .apple) && !identities.contains { $0.provider == method.rawValue }
        }
    }

    /// Reloads everything. The current list stays until then.
    public func load() async {
        guard phase != .working else { return }
        if identities.isEmpty || phase == .failed { phase = .loading }
        async let settings: Void = manager.loadServerSettings()
        await reload()
        await settings
    }

    /// Links Apple; see ``AuthManager/Identities/linkApple(_:)``.
    @discardableResult
    public func linkApple(
        _ sheet: @escaping @MainActor () async throws -> AppleCredential
    ) -> Task<Void, Never>? {
        attempt {
            _ = try await self.manager.identities.linkApple(sheet)
        } tell: {
            SignInMessage(.apple, $0)
        }
    }

    /// Links a provider; see ``AuthManager/Identities/link(_:in:)``.
    @discardableResult
    public func link(_ provider: AuthProvider, in browser: any WebAuthenticator) -> Task<Void, Never>? {
        attempt {
            _ = try await self.manager.identities.link(provider, in: browser)
        } tell: {
            SignInMessage(AuthMethod(provider), $0)
        }
    }

    /// Removes a sign-in method, after the user's confirmation.
    @discardableResult
    public func remove(_ identity: AuthUserIdentity) -> Task<Void, Never>? {
        attempt {
            try await self.manager.identities.unlink(identity)
        } tell: {
            SignInMessage(changing: $0)
        }
    }

    /// Undoes a link, after the user's confirmation. Signs out if it opened the session.
    @discardableResult
    public func undo(_ link: AuthUndoableLink) -> Task<Void, Never>? {
        attempt {
            do {
                try await self.manager.identities.undo(link)
            } catch {
                if Self.isTooLate(error) { try await self.read() }
                throw error
            }
        } tell: {
            SignInMessage(changing: Self.isTooLate($0) ? AuthError.tooLateToUndo : $0)
        }
    }

    /// Too old, or already undone.
    private static func isTooLate(_ error: any Error) -> Bool {
        let error = AuthError(error)
        return error == .tooLateToUndo || error.cause?.code == .identityNotFound
    }

    private func attempt(
        _ work: @escaping @MainActor () async throws -> Void,
        tell: @escaping @MainActor (any Error) -> SignInMessage?
    ) -> Task<Void, Never>? {
        guard phase != .working, phase != .loading else { return nil }
        phase = .working
        changes += 1
        return Task {
            do { try await work() } catch {
                phase = tell(error).map { .refused($0) } ?? .showing
                return
            }
            await reload()
        }
    }

    private func reload() async {
        let started = changes
        do throws(AuthError) {
            try await read()
            if started == changes { phase = .showing }
        } catch {
            // The screen has gone, or loads again.
            if started == changes, error != .cancelled { phase = .failed }
        }
    }

    private func read() async throws(AuthError) {
        let started = changes
        let (identities, links) = (try await manager.identities.list(), try await manager.identities.undoableLinks())
        let passkeys = try await manager.passkeys.list()
        guard started == changes else { return }
        self.identities = identities
        hasPasskey = passkeys?.isEmpty == false
        undoable = links.filter { link in identities.contains { $0.identityID == link.id } }
    }
}
