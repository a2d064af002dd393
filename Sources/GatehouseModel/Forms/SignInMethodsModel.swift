public import Gatehouse
public import Observation

/// The state of the screen that lists sign-in methods and can add, remove and undo them.
@MainActor @Observable
public final class SignInMethodsModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The methods are loading.
        case loading
        /// Loading failed; offer to try again.
        case failed
        /// The methods.
        case showing
        /// A change is in progress; all buttons are disabled.
        case working
        /// The last action failed.
        case refused(SignInMessage)
    }

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The account's sign-in methods.
    public private(set) var identities: [UserIdentity] = []
    /// The recent links among them that can be undone, newest first.
    public private(set) var undoable: [UndoableLink] = []
    private let manager: AuthManager

    /// Creates a model for the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// Whether methods can be removed, because more than one is left.
    public var canRemove: Bool { identities.count > 1 }

    /// The message about the last change.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether the account has an identity of this provider; `email` stands for a password.
    public func has(_ provider: Provider) -> Bool { identities.contains { $0.provider == provider.rawValue } }

    /// Loads everything again.
    public func load() async {
        guard phase != .working else { return }
        phase = .loading
        await reload()
    }

    /// Links Apple; see ``AuthManager/linkApple(_:)``.
    public func linkApple(_ sheet: @MainActor () async throws -> AppleCredential) async {
        await attempt {
            _ = try await self.manager.linkApple(sheet)
        } tell: {
            SignInMessage(.apple, $0)
        }
    }

    /// Links Google; see ``AuthManager/linkGoogle(in:)``.
    public func linkGoogle(in browser: any WebAuthenticator) async {
        await attempt {
            _ = try await self.manager.linkGoogle(in: browser)
        } tell: {
            SignInMessage(.google, $0)
        }
    }

    /// Removes a sign-in method, after the user confirmed it.
    public func remove(_ identity: UserIdentity) async {
        await attempt {
            try await self.manager.unlink(identity)
        } tell: {
            SignInMessage(changing: $0)
        }
    }

    /// Undoes a link, after the user confirmed it. Signs out if the link opened the current session.
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

    /// Whether the link is too old or was already undone.
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
