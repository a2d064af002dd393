import Foundation
public import Gatehouse
public import Observation

/// The state of the screen with passkeys, authenticator apps, telephone numbers and recovery codes.
///
/// Changes return their work, which outlives the screen.
@MainActor @Observable
public final class SecurityModel {
    /// The screen's phase.
    public typealias Phase = ListPhase

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The account's passkeys, oldest first; nil if the server has none.
    public private(set) var passkeys: [AuthPasskey]?
    /// The proven authenticator apps, security keys and telephone numbers.
    public private(set) var factors: [AuthFactor] = []
    /// The remaining recovery codes.
    public private(set) var codes: AuthRecoveryCodesStatus?
    private let manager: AuthManager
    /// Outdates lists being loaded.
    @ObservationIgnored private var changes = 0

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// The last change's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether to offer another authenticator app.
    public var offersApps: Bool { manager.serverSettings?.allowsAuthenticatorApps ?? true }
    /// Whether to offer another telephone number.
    public var offersPhones: Bool { manager.serverSettings?.allowsPhoneFactors ?? false }
    /// Whether to offer new recovery codes.
    public var offersNewCodes: Bool { !factors.isEmpty && manager.offersRecoveryCodes }
    /// Whether to show remaining recovery codes or offer new ones.
    public var offersCodes: Bool { offersNewCodes || codes != nil }
    /// Whether the user should generate new codes.
    public var hasFewCodes: Bool { codes.map { $0.remaining <= 3 } ?? false }

    /// Reloads everything. The current lists stay until then.
    public func load() async {
        guard phase != .working else { return }
        if phase == .failed { phase = .loading }
        await manager.loadServerSettings()
        await reload()
    }

    /// Adds a passkey in the system's sheet.
    @discardableResult
    public func addPasskey(with passkeys: any PasskeyAuthenticator) -> Task<Void, Never>? {
        attempt { _ = try await self.manager.passkeys.add(with: passkeys) }
    }

    /// Renames a passkey, cut like ``passkeyName(_:)``.
    @discardableResult
    public func rename(_ passkey: AuthPasskey, to name: String) -> Task<Void, Never>? {
        let kept = Self.passkeyName(name.trimmingCharacters(in: .whitespacesAndNewlines))
        guard !kept.isEmpty, kept != passkey.friendlyName else { return nil }
        return attempt { try await self.manager.passkeys.rename(id: passkey.id, to: kept) }
    }

    /// A name's first 120 bytes, which servers accept.
    public static func passkeyName(_ typed: String) -> String {
        var name = typed
        while name.utf8.count > 120 { name.removeLast() }
        return name
    }

    /// Deletes a passkey, after the user's confirmation.
    ///
    /// - Parameter passkeys: Notifies the device's password managers.
    @discardableResult
    public func delete(_ passkey: AuthPasskey, with passkeys: (any PasskeyAuthenticator)?) -> Task<Void, Never>? {
        attempt { try await self.manager.passkeys.delete(id: passkey.id, with: passkeys) }
    }

    /// Removes a factor, after the user's confirmation.
    @discardableResult
    public func remove(_ factor: AuthFactor) -> Task<Void, Never>? {
        attempt { try await self.manager.factors.remove(id: factor.id) }
    }

    /// Deletes the recovery codes, after the user's confirmation.
    @discardableResult
    public func deleteCodes() -> Task<Void, Never>? {
        attempt { try await self.manager.factors.deleteRecoveryCodes() }
    }

    private func attempt(_ work: @escaping @MainActor () async throws -> Void) -> Task<Void, Never>? {
        guard phase != .working, phase != .loading else { return nil }
        phase = .working
        changes += 1
        return Task {
            do { try await work() } catch {
                phase = told(error)
                return
            }
            await reload()
        }
    }

    private func told(_ error: any Error) -> Phase {
        // Only of the last factor's removal.
        if AuthError(error) == .otherFactorNeeded { return .refused(SignInMessage("Remove the recovery codes first.")) }
        return SignInMessage(changing: error).map { .refused($0) } ?? .showing
    }

    private func reload() async {
        let started = changes
        do throws(AuthError) {
            let passkeys = try await manager.passkeys.list()
            let factors = try await manager.factors.list()
            let codes = try await manager.recoveryCodesIfKnown()
            guard started == changes else { return }
            (self.passkeys, self.codes, phase) = (passkeys, codes, .showing)
            self.factors = factors.filter { $0.status == .verified && $0.factorType != .recoveryCode }
        } catch {
            // The screen has gone, or loads again.
            if started == changes, error != .cancelled { phase = .failed }
        }
    }
}

extension AuthManager {
    /// True if unknown.
    var offersRecoveryCodes: Bool { serverSettings?.allowsRecoveryCodes ?? true }

    /// nil also if the server has none.
    fileprivate func recoveryCodesIfKnown() async throws(AuthError) -> AuthRecoveryCodesStatus? {
        do throws(AuthError) {
            return try await factors.recoveryCodes()
        } catch .networkError(.refused(let refusal)) where refusal.status == 404 {
            return nil
        }
    }
}
