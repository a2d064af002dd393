public import Gatehouse

/// Creates and uses in-memory passkeys for tests and previews, following a script.
///
/// ```swift
/// let passkeys = ScriptedPasskeys(.cancels, .works)
/// let account = InMemoryAuthService().makeManager()
/// try await account.signInWithPasskey(with: passkeys)      // the user closes the sheet
/// ```
public final class ScriptedPasskeys: PasskeyAuthenticator {
    /// The reaction of the user or the system.
    public enum Answer: Hashable, Sendable {
        /// Creates a passkey, or uses the newest one.
        case works
        /// The user closes the sheet.
        case cancels
        /// The authenticator fails.
        case fails
    }

    /// The reaction to the sheet for a new account.
    public enum AccountAnswer: Hashable, Sendable {
        /// The user enters address and name, and creates the passkey.
        case creates(email: String, firstName: String?)
        /// The user closes the sheet.
        case cancels
        /// The sheet fails.
        case fails
        /// The device cannot create passkeys.
        case unavailable
        /// The user prefers Sign in with Apple.
        case prefersApple
    }

    fileprivate struct State: Sendable {
        var answers: [Answer]
        var credentials: [String] = []
        var signals: [PasskeySignal] = []
        var isCreatingAutomatically = false
        var accounts: [AccountAnswer]?
        var count = 0
    }

    private let state: Locked<State>
    private let keyboard = Gate()

    /// Creates an authenticator.
    ///
    /// - Parameter answers: The reactions to the next requests; later ones work.
    public init(_ answers: Answer...) { state = Locked(State(answers: answers)) }

    /// The signals sent to password managers.
    public var signals: [PasskeySignal] { state.withLock { $0.signals } }
    /// The number of stored passkeys.
    public var count: Int { state.withLock { $0.credentials.count } }
    /// Whether the system adds a passkey after a sign-in with a password.
    public var createsAutomatically: Bool {
        get { state.withLock { $0.isCreatingAutomatically } }
        set { state.withLock { $0.isCreatingAutomatically = newValue } }
    }
    /// Whether the system has a sheet for a new account, as on iOS 26; see ``follow(_:)``.
    public var hasAccountSheet: Bool { state.withLock { $0.accounts != nil } }

    /// Adds a system sheet for new accounts, with its next reactions; later requests are cancelled.
    ///
    /// ```swift
    /// let passkeys = ScriptedPasskeys()
    /// passkeys.follow(.creates(email: "ada@example.com", firstName: "Ada"))
    /// ```
    public func follow(_ answers: AccountAnswer...) { state.withLock { $0.accounts = ($0.accounts ?? []) + answers } }

    /// The number of requests waiting above the keyboard.
    public var offeredCount: Int { keyboard.waitingCount }

    /// Taps the passkey above the keyboard.
    public func chooseInKeyboard() { keyboard.open() }

    public func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) throws -> AuthJSON {
        let id = try state.withLock { state in
            if style == .automatic, !state.isCreatingAutomatically { throw AuthClientError.cancelled }
            try Self.answer(&state)
            guard !state.credentials.contains(where: { options.excludes($0) }) else {
                throw AuthClientError.passkeyExists
            }
            return state.create(for: options.userName)
        }
        return Self.registration(id)
    }

    public func createAccount(_ options: AuthPasskeyRegistrationOptions) throws -> PasskeyAccount {
        try state.withLock { state in
            guard let answers = state.accounts else { throw PasskeyAccountProblem.unavailable }
            state.accounts = Array(answers.dropFirst())
            switch answers.first ?? .cancels {
            case .creates(let email, let firstName):
                return PasskeyAccount(
                    credential: Self.registration(state.create(for: email)), email: email,
                    name: AppleName(given: firstName))
            case .cancels: throw AuthClientError.cancelled
            case .fails: throw AuthClientError.passkeyFailed("in memory")
            case .unavailable: throw PasskeyAccountProblem.unavailable
            case .prefersApple: throw PasskeyAccountProblem.prefersApple
            }
        }
    }

    private static func registration(_ id: String) -> AuthJSON { ["id": .string(id), "name": "Apple Passwords"] }

    public func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) async throws -> AuthJSON {
        guard state.withLock({ !$0.credentials.isEmpty }) || style == .sheet else { throw AuthClientError.noPasskey }
        if style == .autoFill { try await keyboard.wait() }
        let id = try state.withLock { state in
            try Self.answer(&state)
            guard let id = state.credentials.last(where: { options.allows($0) }) else {
                throw style == .sheet ? AuthClientError.cancelled : .noPasskey
            }
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

extension ScriptedPasskeys.State {
    fileprivate mutating func create(for name: String) -> String {
        count += 1
        let id = Base64URL.text(Array("\(name) \(count)".utf8))
        credentials.append(id)
        return id
    }
}

extension AuthPasskeyAuthenticationOptions {
    fileprivate func allows(_ credential: String) -> Bool {
        allowedCredentials.isEmpty || allowedCredentials.contains { Base64URL.text($0) == credential }
    }
}

extension AuthPasskeyRegistrationOptions {
    fileprivate func excludes(_ credential: String) -> Bool {
        excludedCredentials.contains { Base64URL.text($0) == credential }
    }
}
