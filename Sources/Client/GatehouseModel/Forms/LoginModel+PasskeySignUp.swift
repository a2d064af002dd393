public import Gatehouse

extension LoginModel {
    /// Whether to offer a new account with a passkey.
    public var offersPasskeySignUp: Bool {
        guard let settings = manager.serverSettings, offersPasskey, offersSignUp else { return false }
        return settings.allowsPasskeySignUp && (settings.confirmsEmailAutomatically || settings.sendsMail ?? true)
    }

    /// Creates an account in the system's sheet.
    ///
    /// May set ``asksForPasskeyDetails``, without such a sheet, or ``prefersApple``.
    @discardableResult
    public func signUpWithPasskey(with passkeys: any PasskeyAuthenticator) -> Task<Void, Never>? {
        attempt(.passkey, signsUpWithPasskey: true) { try await self.manager.signUpWithPasskey(with: passkeys) }
    }

    /// Whether ``submit(with:)`` is possible.
    public var canSubmitWithPasskey: Bool {
        !isBusy && [.name, .email].allSatisfy { form.isValid($0, password: "", confirmation: "") }
    }

    /// Creates an account from ``form`` and a passkey.
    @discardableResult
    public func submit(with passkeys: any PasskeyAuthenticator) -> Task<Void, Never>? {
        guard canSubmitWithPasskey else { return nil }
        let form = form
        return attempt(.passkey, signsUpWithPasskey: true) {
            try await self.manager.signUpWithPasskey(
                form.trimmedEmail, firstName: form.keptName, with: passkeys)
        }
    }
}
