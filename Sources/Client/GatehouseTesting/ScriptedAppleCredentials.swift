public import Gatehouse

/// Simulates Apple's answers about Sign in with Apple.
///
/// ```swift
/// let (service, apple) = (InMemoryAuthService(), ScriptedAppleConsent())
/// let manager = service.makeManager(appleCredentials: apple.credentials)
/// apple.set(.revoked, for: .ada)                                      // in the system's settings
/// apple.askAgain()                                                    // the app becomes active
/// await manager.wait { !$0.isLoggedIn }
/// ```
public final class ScriptedAppleConsent: Sendable {
    private struct State {
        var states: [String: AppleCredentialState] = [:]
        var asked: [String] = []
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Locked(State())

    /// Creates a value for which every user is authorized.
    public init() {}

    /// The credentials to pass to a manager.
    public var credentials: AppleConsent {
        AppleConsent { [state] person in
            state.withLock { state in
                state.asked.append(person)
                return state.states[person] ?? .authorized
            }
        } moments: { [state] in
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            state.withLock { $0.listeners.append(continuation) }
            return stream
        }
    }

    /// Sets a person's state.
    public func set(_ answer: AppleCredentialState, for person: ProviderPerson) {
        state.withLock { $0.states[person.id] = answer }
    }

    /// Simulates that the app became active or the system reported a change.
    public func askAgain() {
        for listener in state.withLock({ $0.listeners }) { listener.yield() }
    }

    /// The user ids asked about, in order.
    public var asked: [String] { state.withLock { $0.asked } }
}
