public import Foundation
import Gatehouse
public import Observation

/// The state of a screen where the user enters an emailed or texted code.
///
/// Actions return their work, which outlives the screen.
///
/// ```swift
/// let screen = CodeModel(.signIn, email: "ada@example.com", manager: account)
/// screen.code = "042917"
/// await screen.submit()?.value
/// message = screen.message
/// ```
///
/// A text field with content type `oneTimeCode` autofills ``code``. Call ``submit()`` when it has changed and
/// ``isComplete``.
@MainActor @Observable
public final class CodeModel {
    /// The code's purpose.
    public enum Kind: Hashable, Sendable {
        /// Confirms a sign-up.
        case confirmation
        /// Signs in without a password.
        case signIn
        /// Allows setting a new password.
        case passwordReset
        /// Changes the signed-in user's address.
        case emailChange
        /// Links two sign-in methods; answers ``AuthManager/linkQuestion``.
        case link
        /// Restores a set-aside password.
        case setAsidePassword
        /// Restores a set-aside passkey. The email went to the account's address.
        case setAsidePasskey
        /// Signs in with a telephone number.
        case phoneSignIn
        /// Changes the signed-in user's telephone number.
        case phoneChange
        /// Proves a telephone number as a second factor, which may be new. Contains its id.
        case phoneFactor(UUID)

        /// Whether the code is texted.
        public var isTexted: Bool {
            switch self {
            case .phoneSignIn, .phoneChange, .phoneFactor: true
            case .confirmation, .signIn, .passwordReset, .emailChange, .link, .setAsidePassword, .setAsidePasskey:
                false
            }
        }
    }

    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user enters the code.
        case editing
        /// The code is being checked.
        case checking
        /// Another email or message is being requested.
        case sending
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The user is signed in, or has the new address.
        case confirmed
    }

    /// The usual time between two emails to an address.
    public nonisolated static let interval: Duration = .seconds(60)

    /// The code's purpose.
    public let kind: Kind
    /// The recipient: an address or a telephone number; empty for ``Kind/setAsidePasskey``. Changes when an email change also requires the other
    /// address's confirmation.
    public private(set) var email: String
    /// The current phase.
    public private(set) var phase = Phase.editing
    /// Whether another email or message is on its way.
    public private(set) var wasSentAgain = false
    /// Whether an email change's first address is confirmed.
    public private(set) var isHalfway = false
    /// The seconds until another email can be requested, updated by ``countDown()``.
    public private(set) var secondsToWait: Int
    /// The uptime at which another email can be requested.
    public private(set) var waitsUntil: Duration
    private var digits = ""
    private var other: String?
    @ObservationIgnored private var sentLast = false
    @ObservationIgnored var restored: Restored?
    /// In addition to restoring a credential.
    let answersLink: Bool
    let manager: AuthManager

    /// Creates a model for a requested email.
    ///
    /// - Parameters:
    ///   - email: The recipient; for a change, the new address or telephone number.
    ///   - wait: The time until another email can be requested.
    public convenience init(
        _ kind: Kind, email: String, wait: Duration = CodeModel.interval, manager: AuthManager
    ) {
        self.init(kind, email: email, wait: wait, phase: .editing, manager: manager)
    }

    init(
        _ kind: Kind, email: String, wait: Duration, phase: Phase, answersLink: Bool = false, manager: AuthManager
    ) {
        self.kind = kind
        self.answersLink = answersLink
        self.email = email
        self.phase = phase
        self.manager = manager
        other = kind == .emailChange ? manager.user?.email : nil
        waitsUntil = manager.clock.uptime() + wait
        secondsToWait = Self.seconds(wait)
    }

    /// The typed code's ASCII digits, at most as many as required.
    public var code: String {
        get { digits }
        set {
            let typed = newValue.compactMap(\.wholeNumberValue).filter { $0 < 10 }.prefix(lengths.upperBound)
            digits = typed.map { String($0) }.joined()
        }
    }

    private var lengths: ClosedRange<Int> { kind.isTexted ? manager.phoneCodeLengths : manager.codeLengths }

    /// The last attempt's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether to disable the screen.
    public var isBusy: Bool { phase == .checking || phase == .sending }

    /// Whether the submit button is enabled.
    public var canSubmit: Bool { !isBusy && phase != .confirmed && lengths.contains(digits.count) }

    /// Whether to submit the code without a tap.
    public var isComplete: Bool { canSubmit && digits.count == lengths.upperBound }

    /// Loads the code length from the server, unless known.
    public func load() async { await manager.loadServerSettings() }

    /// Whether another email can be requested now.
    public var canSendAgain: Bool { offersAnotherMail && !isBusy && phase != .confirmed && secondsToWait == 0 }

    /// Whether this screen can request another email. For a passkey, another sign-in does.
    public var offersAnotherMail: Bool { kind != .setAsidePasskey }

    /// The time until another email, such as `0:42`.
    public var countdown: String? {
        guard secondsToWait > 0 else { return nil }
        let seconds = secondsToWait % 60
        return "\(secondsToWait / 60):\(seconds < 10 ? "0" : "")\(seconds)"
    }

    /// Updates ``secondsToWait`` until another email can be requested. Call it in a `task` with id ``waitsUntil``.
    public func countDown() async {
        while true {
            let left = Self.seconds(waitsUntil - manager.clock.uptime())
            if secondsToWait != left { secondsToWait = left }
            guard left > 0 else { return }
            // Cancelled: the screen has closed.
            do { try await manager.clock.sleep(.seconds(1)) } catch { return }
        }
    }

    /// Submits the code if ``canSubmit`` is true.
    @discardableResult
    public func submit() -> Task<Void, Never>? {
        guard canSubmit else { return nil }
        (phase, sentLast, wasSentAgain) = (.checking, false, false)
        let (code, email) = (digits, email)
        return Task {
            do throws(AuthError) {
                phase = try await isConfirmed(code, email) ? .confirmed : .editing
            } catch {
                phase = told(error)
            }
        }
    }

    private func isConfirmed(_ code: String, _ email: String) async throws(AuthError) -> Bool {
        switch kind {
        case .confirmation, .signIn, .setAsidePassword, .setAsidePasskey:
            return try await signIn(code, email) == .signedIn
        case .passwordReset:
            return try await manager.resetPassword(withCode: code, sentTo: email) == .signedIn
        case .emailChange:
            let change = try await manager.credentials.confirmEmail(withCode: code, sentTo: email)
            guard change == .checkMail else { return true }
            useOther()
            isHalfway = true
            return false
        case .link: return try await manager.linking.confirm(.code(code)) == .signedIn
        case .phoneSignIn: return try await manager.signIn(withCode: code, textedTo: email) == .signedIn
        case .phoneChange: try await manager.credentials.confirmPhone(withCode: code, textedTo: email)
        case .phoneFactor(let factor): try await manager.proofs.prove(code: code, of: factor)
        }
        return true
    }

    /// Requests another email if ``canSendAgain`` is true. The last three codes stay valid.
    @discardableResult
    public func sendAgain() -> Task<Void, Never>? {
        guard canSendAgain else { return nil }
        (phase, sentLast, wasSentAgain) = (.sending, true, false)
        return Task {
            do throws(AuthError) {
                try await send()
                (digits, phase, wasSentAgain) = ("", .editing, true)
                wait(Self.interval)
            } catch {
                if case .rateLimited(let pause) = error { wait(pause ?? Self.interval) }
                phase = told(error)
            }
        }
    }

    private func send() async throws(AuthError) {
        switch kind {
        case .confirmation: try await manager.mail.resendConfirmation(to: email)
        case .signIn, .setAsidePassword: try await manager.mail.sendSignIn(to: email)
        case .setAsidePasskey: break
        case .passwordReset: try await manager.mail.sendPasswordReset(to: email)
        case .emailChange: try await manager.credentials.resendEmailChange()
        case .link: try await manager.linking.sendCode()
        case .phoneSignIn: try await manager.texts.sendSignIn(to: email)
        case .phoneChange: try await manager.credentials.resendPhoneChange()
        case .phoneFactor(let factor): try await manager.proofs.sendCode(to: factor)
        }
    }

    /// Repeats the last attempt.
    @discardableResult
    public func retry() -> Task<Void, Never>? { sentLast ? sendAgain() : submit() }

    /// An email change's other address, whose code the user may have entered; nil unless one was rejected.
    public var otherEmail: String? { message != nil && !sentLast ? other : nil }

    /// Switches to ``otherEmail``.
    public func useOther() {
        guard let next = other else { return }
        (other, email, digits) = (email, next, "")
        if !isBusy { phase = .editing }
    }

    private func wait(_ duration: Duration) {
        waitsUntil = manager.clock.uptime() + duration
        secondsToWait = Self.seconds(duration)
    }

    private func told(_ error: AuthError) -> Phase {
        if sentLast, case .rateLimited = error { return .refused(kind.isTexted ? .textTooSoon : .mailTooSoon) }
        if kind == .link, error == .secondFactorNeeded { return .refused(.linkNeedsFactor) }
        let message =
            switch kind {
            case .emailChange, .phoneChange, .phoneFactor: SignInMessage(changing: error)
            case .phoneSignIn: SignInMessage(.phone, error)
            default: SignInMessage(.email, error)
            }
        return message.map { .refused($0) } ?? .editing
    }

    private static func seconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return max(0, Int(parts.seconds) + (parts.attoseconds > 0 ? 1 : 0))
    }
}
