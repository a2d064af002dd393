public import Gatehouse

// What a person is told after a change of address or password that failed.
extension SignInMessage {
    /// The message for a failed change of the account's address or password, or of the ways to sign in.
    ///
    /// - Returns: nil when the task was cancelled: nothing is shown.
    public init?(changing error: any Error) {
        if let code = (error as? AuthClientError)?.code, let text = Self.text(of: code, error) {
            self.init(text)
        } else if SignInProblem(error) == .emailInUse {
            self.init(Self.taken)
        } else {
            self.init(.email, error)
            question = nil
        }
    }

    private static let taken = "This email is already associated with another account."

    private static func text(of code: AuthErrorCode, _ error: any Error) -> String? {
        switch code {
        case .emailExists, .userAlreadyExists: taken
        case .weakPassword: isTooShort(error) ? nil : "This password is too easy to guess. Please choose another one."
        case .samePassword: "Please choose a password that is not the current one."
        case .currentPasswordRequired: "Please enter your current password."
        case .currentPasswordInvalid: "The current password is not correct."
        case .freshSignInRequired: AuthError.freshSignInNeeded.message
        case .reauthenticationNeeded: "Please enter the code from the email."
        case .reauthenticationNotValid: "The code is not correct, or too old."
        case .emailProviderDisabled: "The email address cannot be changed here."
        default: nil
        }
    }

    /// What a server that gives no reasons refuses is too short for it.
    private static func isTooShort(_ error: any Error) -> Bool {
        guard case AuthClientError.refused(let refusal) = error else { return true }
        return refusal.weakPasswordReasons.isEmpty || refusal.weakPasswordReasons.contains("length")
    }
}
