public import Foundation
public import Gatehouse

extension AuthManager {
    /// The user's passkeys, and what offers them.
    public var passkeys: Passkeys { Passkeys(manager: self) }

    /// The user's passkeys, and what offers them. See ``AuthManager/passkeys``.
    @MainActor
    public struct Passkeys {
        let manager: AuthManager
    }
}

extension AuthManager.Passkeys {
    /// Offers passkeys in the bar above the keyboard, until the user chooses one or the task is cancelled. Run it while a
    /// field for an address is on the screen. No sign-in is in progress before the user has chosen, and failures until
    /// then show nowhere: the user did not ask for anything.
    ///
    /// - Throws: As ``AuthManager/signInWithPasskey(with:style:)``, after the user has chosen a passkey.
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

    /// In a separate task: a screen cancels the task that offers passkeys as soon as a sign-in is in progress.
    private func signIn(with assertion: PasskeyAssertion) async throws(AuthError) -> SignInOutcome {
        let work = Task {
            try await manager.authenticate(.passkey) { .session(try await manager.service.signIn(with: assertion)) }
        }
        do { return try await work.value } catch { throw AuthError(error) }
    }

    private enum Choice: Sendable {
        case chosen(PasskeyAssertion)
        /// The challenge is about to expire.
        case expired
        case failed
    }

    /// A server's challenge is valid for five minutes.
    private func choice(of passkeys: any PasskeyAuthenticator) async -> Choice {
        await withTaskGroup(of: Choice.self) { [service = manager.service, clock = manager.clock] group in
            group.addTask {
                // Ignored: the user has not asked for a passkey.
                guard let assertion = try? await service.passkeyAssertion(with: passkeys, style: .autoFill) else {
                    return .failed
                }
                return .chosen(assertion)
            }
            group.addTask {
                // Cancelled, because the user has chosen.
                do { try await clock.sleep(.seconds(270)) } catch { return .failed }
                return .expired
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failed
        }
    }

    /// Whether the user of this sign-in may be asked to add a passkey: after any sign-in of this run without one, once on
    /// this device, if the account has none. After a password, the system may add one without a question (iOS 18).
    /// Sets ``AuthManager/asksForPasskey``. Failures show nowhere.
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

    /// Whether the account has a passkey that the system has added by itself, also if the response to it was lost.
    private func isAddedAutomatically(with passkeys: any PasskeyAuthenticator) async -> Bool {
        do {
            _ = try await manager.service.registerPasskey(with: passkeys, style: .automatic)
            return true
        } catch AuthClientError.cancelled {
            return false
        } catch {
            // Ignored: without an answer, the user is asked.
            return (try? await manager.service.passkeys())?.isEmpty == false
        }
    }

    private func isCurrent(_ epoch: Int) -> Bool { manager.epoch == epoch && manager.isLoggedIn }

    /// The user has answered "Add a passkey?", which is never asked again on this device.
    public func dismissOffer() {
        manager.asksForPasskey = false
        manager.memory.keepPasskeyOffer()
    }

    /// Creates a passkey in the system's sheet.
    ///
    /// - Throws: ``AuthError``: ``AuthError/cancelled`` if the user closed the sheet, after which nothing is shown;
    ///   ``AuthError/passkeyExists``, ``AuthError/tooMany``. ``SignInMessage/init(changing:)`` has a text for each.
    @discardableResult
    public func add(with passkeys: any PasskeyAuthenticator) async throws(AuthError) -> AuthPasskey {
        let passkey = try await manager.changing {
            try await manager.service.registerPasskey(with: passkeys, style: .sheet)
        }
        dismissOffer()
        return passkey
    }

    /// Fetches the user's passkeys, the oldest first; nil if the server has none.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out.
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
    ///
    /// - Throws: As ``list()``.
    public func rename(id: UUID, to name: String) async throws(AuthError) {
        try await manager.changing { try await manager.service.renamePasskey(id: id, friendlyName: name) }
    }

    /// Deletes a passkey, and tells the password managers of this device.
    ///
    /// - Parameter passkeys: With nil, password managers are not told.
    /// - Throws: As ``list()``, and what the step-up's question ends with.
    public func delete(id: UUID, with passkeys: (any PasskeyAuthenticator)?) async throws(AuthError) {
        try await manager.changing { try await manager.service.deletePasskey(id: id) }
        // Ignored: the password manager may then offer a passkey that the server refuses.
        if let passkeys { try? await manager.service.signalPasskeys(to: passkeys) }
    }
}
