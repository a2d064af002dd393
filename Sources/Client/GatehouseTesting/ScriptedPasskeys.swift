public import Gatehouse

/// The keeper of passkeys in tests and previews: creates and uses passkeys in memory, in the order of its script.
///
/// ```swift
/// let passkeys = ScriptedPasskeys(.cancels, .works)
/// let account = InMemoryAuthService().makeManager()
/// try await account.signInWithPasskey(with: passkeys)      // the user closes the sheet
/// ```
public final class ScriptedPasskeys: PasskeyAuthenticator {
    /// What the user or the system does.
    public enum Answer: Hashable, Sendable {
        /// Creates a passkey, or uses the newest one.
        case works
        /// The user closes the sheet.
        case cancels
        /// The authenticator fails.
        case fails
    }

    private struct State: Sendable {
        var answers: [Answer]
        var credentials: [String] = []
        var signals: [PasskeySignal] = []
        var isCreatingAutomatically = false
        var count = 0
    }

    private let state: Locked<State>
    private let keyboard = Gate()

    /// - Parameter answers: The answers to the next requests; later ones work.
    public init(_ answers: Answer...) { state = Locked(State(answers: answers)) }

    /// What password managers were told.
    public var signals: [PasskeySignal] { state.withLock { $0.signals } }
    /// The number of passkeys that it keeps.
    public var count: Int { state.withLock { $0.credentials.count } }
    /// Whether the system adds a passkey by itself after a sign-in with a password.
    public var createsAutomatically: Bool {
        get { state.withLock { $0.isCreatingAutomatically } }
        set { state.withLock { $0.isCreatingAutomatically = newValue } }
    }
    /// The number of requests that wait in the bar above the keyboard.
    public var offeredCount: Int { keyboard.waitingCount }

    /// The user taps the passkey in the bar above the keyboard.
    public func chooseInKeyboard() { keyboard.open() }

    public func create(_ options: PasskeyRegistrationOptions, style: PasskeyCreationStyle) throws -> AnyJSON {
        let id = try state.withLock { state in
            if style == .automatic, !state.isCreatingAutomatically { throw AuthClientError.cancelled }
            try Self.answer(&state)
            guard !state.credentials.contains(where: { options.excludes($0) }) else {
                throw AuthClientError.passkeyExists
            }
            state.count += 1
            // The account's name keeps passkeys of two devices apart.
            let id = Base64URL.text(Array("\(options.userName) \(state.count)".utf8))
            state.credentials.append(id)
            return id
        }
        return ["id": .string(id), "name": "Apple Passwords"]
    }

    public func get(_ options: PasskeyAuthenticationOptions, style: PasskeyRequestStyle) async throws -> AnyJSON {
        guard state.withLock({ !$0.credentials.isEmpty }) || style == .sheet else { throw AuthClientError.noPasskey }
        if style == .autoFill { try await keyboard.wait() }
        let id = try state.withLock { state in
            try Self.answer(&state)
            guard let id = state.credentials.last else { throw AuthClientError.cancelled }
            return id
        }
        return ["id": .string(id)]
    }

    public func signal(_ signal: PasskeySignal) { state.withLock { $0.signals.append(signal) } }

    private static func answer(_ state: inout State) throws {
        switch state.answers.isEmpty ? .works : state.answers.removeFirst() {
        case .works: break
        case .cancels: throw AuthClientError.cancelled
        case .fails: throw AuthClientError.passkeyFailed("in memory")
        }
    }
}

extension PasskeyRegistrationOptions {
    fileprivate func excludes(_ credential: String) -> Bool {
        excludedCredentials.contains { Base64URL.text($0) == credential }
    }
}
