import Foundation
public import Gatehouse
import GatehouseWire
public import Observation

/// The state of the screen that adds an authenticator app.
@MainActor @Observable
public final class AppEnrollmentModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The secret is being requested.
        case loading
        /// The secret could not be requested; offer to retry.
        case failed(SignInMessage)
        /// The user enters the secret in the app and its code here.
        case editing
        /// The code is being checked.
        case checking
        /// The last code was rejected.
        case refused(SignInMessage)
        /// The app is added: offer recovery codes if ``AppEnrollmentModel/offersCodes``.
        case added
        /// No proof was given: close the screen.
        case cancelled
    }

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The secret in three forms; nil until requested.
    public private(set) var secret: AuthEnrolledFactor.TOTP?
    /// The typed code's digits, in ASCII.
    public var code = "" {
        didSet {
            let short = String(code.withASCIIDigits.filter { $0.isASCII && $0.isNumber }.prefix(ProofModel.codeLength))
            if short != code { code = short }
        }
    }
    private var factor: UUID?
    private let issuer: String?
    private let manager: AuthManager

    /// Creates a model.
    ///
    /// - Parameter issuer: The app's name in the authenticator app.
    public init(issuer: String?, manager: AuthManager) {
        self.issuer = issuer
        self.manager = manager
    }

    /// Whether to offer recovery codes once the app is added.
    public var offersCodes: Bool { manager.offersRecoveryCodes }

    /// The last attempt's message.
    public var message: SignInMessage? {
        switch phase {
        case .failed(let message), .refused(let message): message
        case .loading, .editing, .checking, .added, .cancelled: nil
        }
    }

    /// The secret in groups of four.
    public var groupedSecret: String? { secret?.secret.inGroups() }

    /// Requests a secret, unless there is one, and removes unproven apps.
    public func load() async {
        guard factor == nil else { return }
        phase = .loading
        do throws(AuthError) {
            let known = try await manager.factors.list()
            for old in known where old.status == .unverified && old.factorType == .totp {
                try await manager.factors.remove(id: old.id)
            }
            let app = try await manager.factors.addApp(issuer: issuer, name: name(besides: known))
            (factor, secret, phase) = (app.id, app.totp, .editing)
        } catch {
            phase = SignInMessage(changing: error).map { .failed($0) } ?? .cancelled
        }
    }

    /// Names must differ. The screens name the first app in the user's language.
    private func name(besides known: [AuthFactor]) -> String? {
        let verified = known.filter { $0.status == .verified }
        guard verified.contains(where: { $0.friendlyName == nil }) else { return nil }
        let names = (2...11).map { "Authenticator app \($0)" }
        return names.first { name in !verified.contains { $0.friendlyName == name } }
    }

    /// Whether the button is enabled.
    public var canSubmit: Bool {
        guard code.utf8.count == ProofModel.codeLength, factor != nil else { return false }
        switch phase {
        case .editing, .refused: return true
        case .loading, .failed, .checking, .added, .cancelled: return false
        }
    }

    /// Submits the code if ``canSubmit`` is true.
    @discardableResult
    public func submit() -> Task<Void, Never>? {
        guard canSubmit, let factor else { return nil }
        phase = .checking
        let code = code
        return Task {
            do throws(AuthError) {
                try await manager.proofs.prove(code: code, of: factor)
                (phase, secret) = (.added, nil)
            } catch {
                self.code = ""
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
            }
        }
    }
}
