public import Gatehouse

/// Apple's word about people who once signed in with it, as a test says it.
///
/// ```swift
/// let apple = ScriptedAppleCredentials()
/// let manager = service.makeManager(appleCredentials: apple.credentials)
/// apple.set(.revoked, for: .ada)                                      // in the system's settings
/// apple.askAgain()                                                    // the app comes to the front
/// await manager.wait { !$0.isLoggedIn }
/// ```
public final class ScriptedAppleCredentials: Sendable {
    private struct State {
        var states: [String: AppleCredentialState] = [:]
        var asked: [String] = []
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Locked(State())

    /// Everybody is authorized.
    public init() {}

    /// What a manager is given.
    public var credentials: AppleCredentials {
        AppleCredentials { [state] person in
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

    /// From now on this is what Apple says about somebody.
    public func set(_ answer: AppleCredentialState, for person: ProviderPerson) {
        state.withLock { $0.states[person.id] = answer }
    }

    /// The app comes to the front, or the system tells of a change.
    public func askAgain() {
        for listener in state.withLock({ $0.listeners }) { listener.yield() }
    }

    /// The identifiers that were asked about, in order.
    public var asked: [String] { state.withLock { $0.asked } }
}
