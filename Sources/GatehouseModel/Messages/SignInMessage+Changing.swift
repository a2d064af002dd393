public import Gatehouse

// Messages about failed changes of the email address or password.
extension SignInMessage {
    /// The message for a failed change of the email address, the password or the sign-in methods.
    ///
    /// - Returns: nil if the task was cancelled; show nothing.
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

    /// A refusal without reasons counts as "too short".
    private static func isTooShort(_ error: any Error) -> Bool {
        guard case AuthClientError.refused(let refusal) = error else { return true }
        return refusal.weakPasswordReasons.isEmpty || refusal.weakPasswordReasons.contains("length")
    }
}
