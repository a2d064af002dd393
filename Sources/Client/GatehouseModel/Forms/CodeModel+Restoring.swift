import Gatehouse

extension CodeModel {
    enum Restored {
        case password(String)
        case passkey(AuthSetAsideTicket)

        /// - Returns: nil for any other failure.
        init?(_ error: AuthError, typed password: String?) {
            switch error {
            case .credentialSetAside(let ticket?): self = .passkey(ticket)
            case .credentialSetAside(nil):
                guard let password else { return nil }
                self = .password(password)
            default: return nil
            }
        }
    }

    /// Creates a model for a sign-up's confirmation email.
    ///
    /// - Parameter password: The sign-up's, which the account adopts even if another sign-up competes.
    public convenience init(
        _ kind: Kind, email: String, password: String?, wait: Duration = CodeModel.interval, manager: AuthManager
    ) {
        self.init(kind, email: email, wait: wait, phase: .editing, manager: manager)
        restored = password.map { .password($0) }
    }

    /// - Parameter email: Ignored for a passkey.
    convenience init(restoring kept: Restored, email: String, answersLink: Bool = false, manager: AuthManager) {
        switch kept {
        case .password:
            self.init(
                .setAsidePassword, email: email, wait: Self.interval, phase: .editing, answersLink: answersLink,
                manager: manager)
        case .passkey:
            self.init(
                .setAsidePasskey, email: "", wait: Self.interval, phase: .editing, answersLink: answersLink,
                manager: manager)
        }
        restored = kept
    }

    /// Stops the code from confirming a typed password, after the user left the form.
    public func forgetPassword() { if case .password = restored { restored = nil } }

    func signIn(_ code: String, _ email: String) async throws(AuthError) -> SignInOutcome {
        let outcome = try await redeem(code, email)
        // The code is used.
        if outcome == .signedIn || outcome == .secondFactorNeeded { restored = nil }
        return outcome
    }

    private func redeem(_ code: String, _ email: String) async throws(AuthError) -> SignInOutcome {
        switch restored {
        case .password(let password) where answersLink:
            try await manager.linking.confirm(.code(code, password: password))
        case .password(let password): try await manager.signIn(withCode: code, sentTo: email, password: password)
        case .passkey(let ticket) where answersLink: try await manager.linking.confirm(.code(code, restoring: ticket))
        case .passkey(let ticket): try await manager.signIn(withCode: code, restoring: ticket)
        case nil: try await manager.signIn(withCode: code, sentTo: email)
        }
    }
}
