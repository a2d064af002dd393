import Foundation
public import Gatehouse
import GatehouseWire
public import Observation

/// The state of the screen for a second factor or a fresh proof.
///
/// ```swift
/// if let question = account.secondFactor {
///     ProofScreen(model: ProofModel(question: question, manager: account))
/// }
/// ```
@MainActor @Observable
public final class ProofModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user enters a code.
        case editing
        /// The code is being checked.
        case checking
        /// The last attempt failed.
        case refused(SignInMessage)
        /// Close the screen: the proof is given, or the user started over.
        case proven
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The question.
    public let question: ProofQuestion
    /// The chosen method; nil if the question has none.
    public private(set) var method: ProofMethod?
    /// The texted code's state, for the method ``ProofMethod/phone(_:)``.
    public private(set) var texted: CodeModel?
    /// The typed code: an app's ASCII digits, or at most 80 characters.
    public var code = "" { didSet { clean() } }
    private let manager: AuthManager

    /// Creates a model for a question.
    public init(question: ProofQuestion, manager: AuthManager) {
        self.question = question
        self.manager = manager
        method = question.methods.first
        texted = method.flatMap { CodeModel(texting: $0, manager: manager) }
    }

    /// The length of an app's code.
    public static let codeLength = 6

    /// The last attempt's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }
    /// Whether to keep the screen open.
    public var isBusy: Bool { phase == .checking || texted?.isBusy == true }
    /// The alternatives to the chosen method.
    public var otherMethods: [ProofMethod] { question.methods.filter { $0 != method } }

    /// The text above the field.
    public var explanation: ModelText {
        switch method {
        case .app(let app):
            app.friendlyName.map { ModelText("Enter the code that %@ shows.", $0) }
                ?? "Enter the code that your authenticator app shows."
        case .phone: "Enter the code we texted you."
        case .key: "Use your security key."
        case .recoveryCode: "Enter one of your recovery codes. Each works once."
        case .passkey: "Use your passkey to confirm that it's you."
        case .password: "Enter your password to confirm that it's you."
        case nil:
            """
            This account uses a two-step verification method that this version of the app doesn't support. Update the \
            app.
            """
        }
    }

    /// Chooses another method and clears the screen.
    public func use(_ method: ProofMethod) {
        guard !isBusy, question.methods.contains(method) else { return }
        self.method = method
        (code, phase) = ("", .editing)
        texted = CodeModel(texting: method, manager: manager)
    }

    /// Requests the first message for ``texted``, if any. Call it whenever ``method`` has changed.
    public func load() async { await texted?.sendAgain()?.value }

    /// Whether the button is enabled.
    ///
    /// - Parameter password: Owned by the view.
    public func canSubmit(password: String = "") -> Bool {
        guard !isBusy, phase != .proven else { return false }
        return switch method {
        case .app: code.utf8.count == Self.codeLength
        case .recoveryCode: !code.allSatisfy { $0.isWhitespace || $0 == "-" }
        case .password: !password.isEmpty
        case .key, .passkey: true
        // ``texted`` submits.
        case .phone, nil: false
        }
    }

    /// Submits the code, the password or a key's sheet if ``canSubmit(password:)`` is true.
    ///
    /// - Parameter passkeys: For the methods `key` and `passkey`.
    @discardableResult
    public func submit(password: String = "", with passkeys: (any PasskeyAuthenticator)? = nil) -> Task<Void, Never>? {
        guard canSubmit(password: password), let method else { return nil }
        phase = .checking
        let code = code
        return Task {
            do throws(AuthError) {
                try await prove(method, code, password, passkeys)
                phase = .proven
            } catch {
                self.code = ""
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
            }
        }
    }

    private func prove(
        _ method: ProofMethod, _ code: String, _ password: String, _ passkeys: (any PasskeyAuthenticator)?
    ) async throws(AuthError) {
        switch method {
        case .app(let factor), .phone(let factor): try await manager.proofs.prove(code: code, of: factor.id)
        case .recoveryCode: try await manager.proofs.prove(recoveryCode: code)
        case .password: try await manager.proofs.prove(password: password)
        case .key(let key):
            guard let passkeys else { throw .notOffered }
            try await manager.proofs.prove(key.id, with: passkeys)
        case .passkey:
            guard let passkeys else { throw .notOffered }
            try await manager.proofs.prove(with: passkeys)
        }
    }

    /// Whether to offer ``startOver()``, after ``startOverWarning``.
    public var canStartOver: Bool { question.need == .secondFactor && manager.canStartOver }

    /// The warning before ``startOver()``.
    public static let startOverWarning: ModelText =
        "Your email will move to a new, empty account. The current account keeps everything else."

    /// Moves the address to a new account if ``canStartOver`` is true.
    @discardableResult
    public func startOver() -> Task<Void, Never>? {
        guard canStartOver, !isBusy, phase != .proven else { return nil }
        phase = .checking
        return Task {
            do throws(AuthError) {
                try await manager.startOver()
                phase = .proven
            } catch .freshSignInNeeded {
                phase = .refused(.startOverNeedsCode)
            } catch {
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
            }
        }
    }

    /// A screen of GatehouseUI shows the question.
    package func appeared() { manager.proofScreen.appeared() }

    /// Abandons the proof. A sign-in signs out or returns to the previous account.
    @discardableResult
    public func cancel() -> Task<Void, Never>? {
        guard !isBusy else { return nil }
        if manager.secondFactor != nil { return Task { await manager.leaveSecondFactor() } }
        manager.proofs.dismiss()
        return nil
    }

    private func clean() {
        let limit = method == .recoveryCode ? 80 : Self.codeLength
        let kept = method == .recoveryCode ? code : code.withASCIIDigits.filter { $0.isASCII && $0.isNumber }
        let short = String(kept.prefix(limit))
        if short != code { code = short }
    }
}
