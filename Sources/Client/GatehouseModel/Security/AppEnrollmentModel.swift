import Foundation
public import Gatehouse
import GatehouseWire
public import Observation

/// The state of the screen that adds an authenticator app: its secret, then its first code.
@MainActor @Observable
public final class AppEnrollmentModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The secret is being requested.
        case loading
        /// The secret could not be requested; offer to try again.
        case failed(SignInMessage)
        /// The user enters the secret into the app, and then its code here.
        case editing
        /// The code is being checked.
        case checking
        /// The last code was refused.
        case refused(SignInMessage)
        /// The app protects the account: offer recovery codes if ``AppEnrollmentModel/offersCodes``, or close the screen.
        case added
        /// The user did not give the proof that the server requires: close the screen.
        case cancelled
    }

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The secret, in three forms; nil before it is there.
    public private(set) var secret: AuthEnrolledFactor.TOTP?
    /// The code as typed: its digits, in ASCII.
    public var code = "" {
        didSet {
            let short = String(code.withASCIIDigits.filter { $0.isASCII && $0.isNumber }.prefix(ProofModel.codeLength))
            if short != code { code = short }
        }
    }
    private var factor: UUID?
    private let issuer: String?
    private let manager: AuthManager

    /// - Parameter issuer: The app's name, as the authenticator app shows it.
    public init(issuer: String?, manager: AuthManager) {
        self.issuer = issuer
        self.manager = manager
    }

    /// Whether to offer recovery codes once the app has been added.
    public var offersCodes: Bool { manager.offersRecoveryCodes }

    /// The message about the last attempt.
    public var message: SignInMessage? {
        switch phase {
        case .failed(let message), .refused(let message): message
        case .loading, .editing, .checking, .added, .cancelled: nil
        }
    }

    /// The secret in groups of four, for reading aloud and typing.
    public var groupedSecret: String? { secret?.secret.inGroups() }

    /// Requests a secret, unless there is one. Removes apps that were begun before and never proven: their names would
    /// be taken.
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

    /// Names must differ, so each app after the first has a number. The screens name the first in the user's language.
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

    /// Submits the code. Does nothing if ``canSubmit`` is false.
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
