extension SignInMessage {
    /// Creates the message for a failed change of email address, password or sign-in methods.
    ///
    /// - Parameter error: An ``AuthError``, or any error to convert to one.
    /// - Returns: nil after a cancellation; show nothing.
    public init?(changing error: any Error) {
        let error = AuthError(error)
        switch error {
        case .emailInUse, .userExists: self.init("This email is already associated with another account.")
        case .samePassword, .currentPasswordRequired, .currentPasswordWrong, .codeRequired, .codeWrong,
            .lastSignInMethod, .tooLateToUndo:
            self.init(error.content)
        // The usual text also names the address.
        case .wrongCredentials: self.init("That isn't your account's password.")
        case .linkOtherAccount: self.init("That passkey belongs to another account.")
        case .passkeyRefused: self.init(error.content)
        case .emailDisabled: self.init("The email address can't be changed here.")
        default: self.init(.email, error)
        }
    }
}
