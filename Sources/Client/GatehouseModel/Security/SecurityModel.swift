import Foundation
public import Gatehouse
public import Observation

/// The state of the screen with the account's passkeys, authenticator apps and recovery codes.
///
/// Changes return their work, which continues after the screen has closed; nil if there is none.
@MainActor @Observable
public final class SecurityModel {
    /// The phase of the screen.
    public typealias Phase = ListPhase

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The account's passkeys, the oldest first; nil if the server has none.
    public private(set) var passkeys: [AuthPasskey]?
    /// The proven authenticator apps and security keys.
    public private(set) var factors: [AuthFactor] = []
    /// The recovery codes that are left; nil without any.
    public private(set) var codes: AuthRecoveryCodesStatus?
    private let manager: AuthManager
    /// Advanced by each change: a list that was read before is outdated.
    @ObservationIgnored private var changes = 0

    /// Creates a model for the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// The message about the last change.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether to offer another authenticator app.
    public var offersApps: Bool { manager.serverSettings?.allowsAuthenticatorApps ?? true }
    /// Whether to offer new recovery codes, which require another factor.
    public var offersNewCodes: Bool { !factors.isEmpty && manager.offersRecoveryCodes }
    /// Whether to show recovery codes: those that are left, or an offer of new ones.
    public var offersCodes: Bool { offersNewCodes || codes != nil }
    /// Whether few codes are left, so that the user should make new ones.
    public var hasFewCodes: Bool { codes.map { $0.remaining <= 3 } ?? false }

    /// Loads everything again. The current lists stay until the new ones arrive.
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

    /// Renames a passkey. Does nothing without a name; cuts it as ``passkeyName(_:)`` does.
    @discardableResult
    public func rename(_ passkey: AuthPasskey, to name: String) -> Task<Void, Never>? {
        let kept = Self.passkeyName(name.trimmingCharacters(in: .whitespacesAndNewlines))
        guard !kept.isEmpty, kept != passkey.friendlyName else { return nil }
        return attempt { try await self.manager.passkeys.rename(id: passkey.id, to: kept) }
    }

    /// The beginning of a name that servers accept: at most 120 bytes. For a field, so that the user sees what is kept.
    public static func passkeyName(_ typed: String) -> String {
        var name = typed
        while name.utf8.count > 120 { name.removeLast() }
        return name
    }

    /// Deletes a passkey, after the user confirmed it.
    ///
    /// - Parameter passkeys: Tells the device's password managers, unless it is nil.
    @discardableResult
    public func delete(_ passkey: AuthPasskey, with passkeys: (any PasskeyAuthenticator)?) -> Task<Void, Never>? {
        attempt { try await self.manager.passkeys.delete(id: passkey.id, with: passkeys) }
    }

    /// Removes a factor, after the user confirmed it.
    @discardableResult
    public func remove(_ factor: AuthFactor) -> Task<Void, Never>? {
        attempt { try await self.manager.factors.remove(id: factor.id) }
    }

    /// Deletes the recovery codes, after the user confirmed it.
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
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .showing
                return
            }
            await reload()
        }
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
    /// Whether the server makes recovery codes. Also true if it does not say.
    var offersRecoveryCodes: Bool { serverSettings?.allowsRecoveryCodes ?? true }

    /// The recovery codes; nil also if the server does not have them.
    fileprivate func recoveryCodesIfKnown() async throws(AuthError) -> AuthRecoveryCodesStatus? {
        do throws(AuthError) {
            return try await factors.recoveryCodes()
        } catch .networkError(.refused(let refusal)) where refusal.status == 404 {
            return nil
        }
    }
}
