public import Gatehouse
public import Observation

/// What the screen shows that lists the ways to sign in: what is there, what can be added, removed and taken back.
@MainActor @Observable
public final class SignInMethodsModel {
    /// What the screen is doing.
    public enum Phase: Hashable, Sendable {
        case loading
        /// The lists could not be loaded: offer it once more.
        case failed
        case showing
        /// Nothing can be tapped.
        case working
        case refused(SignInMessage)
    }

    /// What the screen is doing.
    public private(set) var phase = Phase.loading
    /// The ways that are there.
    public private(set) var identities: [UserIdentity] = []
    /// Of these, what was linked lately and can be taken back, the newest first.
    public private(set) var undoable: [UndoableLink] = []
    private let manager: AuthManager

    /// Shows the ways of the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// Whether there is another way beside each.
    public var canRemove: Bool { identities.count > 1 }

    /// What to tell about the last change.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether the account can be entered by this provider, `email` for a password.
    public func has(_ provider: Provider) -> Bool { identities.contains { $0.provider == provider.rawValue } }

    /// Asks for everything anew.
    public func load() async {
        guard phase != .working else { return }
        phase = .loading
        await reload()
    }

    /// Adds Apple; see ``AuthManager/linkApple(_:)``.
    public func linkApple(_ sheet: @MainActor () async throws -> AppleCredential) async {
        await attempt {
            _ = try await self.manager.linkApple(sheet)
        } tell: {
            SignInMessage(.apple, $0)
        }
    }

    /// Adds Google; see ``AuthManager/linkGoogle(in:)``.
    public func linkGoogle(in browser: any WebAuthenticationSession) async {
        await attempt {
            _ = try await self.manager.linkGoogle(in: browser)
        } tell: {
            SignInMessage(.google, $0)
        }
    }

    /// Removes a way to sign in. The question whether to do so was answered with yes.
    public func remove(_ identity: UserIdentity) async {
        await attempt {
            try await self.manager.unlink(identity)
        } tell: {
            SignInMessage(changing: $0)
        }
    }

    /// Takes a link back. The question whether to do so was answered with yes. The person is signed out when the link
    /// has opened this session.
    public func undo(_ link: UndoableLink) async {
        await attempt {
            do {
                try await self.manager.undo(link)
            } catch {
                if Self.isTooLate(error) { try await self.read() }
                throw error
            }
        } tell: {
            Self.isTooLate($0) ? SignInMessage("This can no longer be undone.") : SignInMessage(changing: $0)
        }
    }

    /// Whether the link is too old, or was taken back elsewhere.
    private static func isTooLate(_ error: any Error) -> Bool {
        let code = (error as? AuthClientError)?.code
        return code == .linkNotUndoable || code == .identityNotFound
    }

    private func attempt(
        _ work: @MainActor () async throws -> Void, tell: @MainActor (any Error) -> SignInMessage?
    ) async {
        guard phase != .working, phase != .loading else { return }
        phase = .working
        do { try await work() } catch {
            phase = tell(error).map { .refused($0) } ?? .showing
            return
        }
        await reload()
    }

    private func reload() async {
        do {
            try await read()
            phase = .showing
        } catch {
            phase = .failed
        }
    }

    private func read() async throws(AuthError) {
        let (identities, links) = (try await manager.identities(), try await manager.undoableLinks())
        self.identities = identities
        undoable = links.filter { link in identities.contains { $0.identityID == link.id } }
    }
}
