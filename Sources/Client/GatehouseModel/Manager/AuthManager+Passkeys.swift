public import Foundation
public import Gatehouse

extension AuthManager {
    /// The user's passkeys.
    public var passkeys: Passkeys { Passkeys(manager: self) }

    /// Manages and offers passkeys. See ``AuthManager/passkeys``.
    @MainActor
    public struct Passkeys {
        let manager: AuthManager
    }
}

extension AuthManager.Passkeys {
    /// Offers passkeys above the keyboard, until the user chooses one or the task is cancelled.
    ///
    /// Run it while an address field is on the screen. Failures before a choice are hidden.
    ///
    /// - Throws: As ``AuthManager/signInWithPasskey(with:style:)``, after the user's choice.
    @discardableResult
    public func offerSignIn(with passkeys: any PasskeyAuthenticator) async throws(AuthError) -> SignInOutcome {
        while !Task.isCancelled, manager.phase == .unauthenticated {
            switch await choice(of: passkeys) {
            case .chosen(let assertion):
                return try await signIn(with: assertion)
            case .expired: continue
            case .failed: return .cancelled
            }
        }
        return .cancelled
    }

    /// The sign-in cancels the screen's task that offers passkeys.
    private func signIn(with assertion: PasskeyAssertion) async throws(AuthError) -> SignInOutcome {
        let work = Task {
            try await manager.authenticate(.passkey) { .session(try await manager.service.signIn(with: assertion)) }
        }
        do { return try await work.value } catch { throw AuthError(error) }
    }

    private enum Choice: Sendable {
        case chosen(PasskeyAssertion)
        case expired
        case failed
    }

    /// A server's challenge is valid for five minutes.
    private func choice(of passkeys: any PasskeyAuthenticator) async -> Choice {
        await withTaskGroup(of: Choice.self) { [service = manager.service, clock = manager.clock] group in
            group.addTask {
                // Ignored: the user has not requested a passkey.
                guard let assertion = try? await service.passkeyAssertion(with: passkeys, style: .autoFill) else {
                    return .failed
                }
                return .chosen(assertion)
            }
            group.addTask {
                // Cancelled: the user has chosen.
                do { try await clock.sleep(.seconds(270)) } catch { return .failed }
                return .expired
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failed
        }
    }

    /// Offers a passkey after a sign-in without one, once per device, if the account has none.
    ///
    /// Sets ``AuthManager/asksForPasskey``, unless the system adds one after a password (iOS 18). Failures are hidden.
    public func offer(with passkeys: any PasskeyAuthenticator) async {
        guard manager.isLoggedIn, !manager.isAnonymous, let opening = manager.opening, opening.method != .passkey,
            !manager.memory.hasOfferedPasskey()
        else { return }
        let mine = manager.epoch
        await manager.loadServerSettings()
        guard manager.serverSettings?.allowsPasskeys == true else { return }
        // Ignored: the next sign-in offers a passkey.
        guard let known = try? await manager.service.passkeys(), known.isEmpty, isCurrent(mine) else { return }
        if opening.method == .email {
            guard await !isAddedAutomatically(with: passkeys) else { return manager.memory.keepPasskeyOffer() }
            guard isCurrent(mine) else { return }
        }
        manager.asksForPasskey = true
    }

    /// Even if the response was lost.
    private func isAddedAutomatically(with passkeys: any PasskeyAuthenticator) async -> Bool {
        do {
            _ = try await manager.service.registerPasskey(with: passkeys, style: .automatic)
            return true
        } catch AuthClientError.cancelled {
            return false
        } catch {
            // Ignored: without a response, the user is asked.
            return (try? await manager.service.passkeys())?.isEmpty == false
        }
    }

    private func isCurrent(_ epoch: Int) -> Bool { manager.epoch == epoch && manager.isLoggedIn }

    /// Answers "Add a passkey?" for good on this device.
    public func dismissOffer() {
        manager.asksForPasskey = false
        manager.memory.keepPasskeyOffer()
    }

    /// Creates a passkey in the system's sheet.
    ///
    /// - Throws: ``AuthError/cancelled`` if the user closed the sheet; ``AuthError/passkeyExists``,
    ///   ``AuthError/tooMany``.
    @discardableResult
    public func add(with passkeys: any PasskeyAuthenticator) async throws(AuthError) -> AuthPasskey {
        let passkey = try await manager.changing {
            try await manager.service.registerPasskey(with: passkeys, style: .sheet)
        }
        dismissOffer()
        return passkey
    }

    /// Fetches the user's passkeys, oldest first; nil if the server has none.
    public func list() async throws(AuthError) -> [AuthPasskey]? {
        do throws(AuthError) {
            return try await manager.changing { try await manager.service.passkeys() }
        } catch .notOffered {
            return nil
        } catch .networkError(.refused(let refusal)) where refusal.status == 404 {
            return nil
        }
    }

    /// Renames a passkey.
    public func rename(id: UUID, to name: String) async throws(AuthError) {
        try await manager.changing { try await manager.service.renamePasskey(id: id, friendlyName: name) }
    }

    /// Deletes a passkey.
    ///
    /// - Parameter passkeys: Notifies this device's password managers.
    /// - Throws: ``AuthError``, including the step-up's.
    public func delete(id: UUID, with passkeys: (any PasskeyAuthenticator)?) async throws(AuthError) {
        try await manager.changing { try await manager.service.deletePasskey(id: id) }
        // Ignored: the password manager may offer a deleted passkey.
        if let passkeys { try? await manager.service.signalPasskeys(to: passkeys) }
    }
}
