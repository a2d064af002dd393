public import Gatehouse

// Messages about failed changes of the email address or password.
extension SignInMessage {
    /// The message for a failed change of the email address, the password or the sign-in methods.
    ///
    /// - Returns: nil if the task was cancelled; show nothing.
    public init?(changing error: any Error) {
        if let code = (error as? AuthClientError)?.code, let text = Self.text(of: code) {
            self.init(text)
        } else if SignInProblem(error) == .emailInUse {
            self.init(Self.taken)
        } else {
            self.init(.email, error)
            question = nil
        }
    }

    private static let taken: ModelText = "This email is already associated with another account."

    private static func text(of code: AuthErrorCode) -> ModelText? {
        switch code {
        case .emailExists, .userAlreadyExists: taken
        case .samePassword: "Please choose a password that is not the current one."
        case .currentPasswordRequired: "Please enter your current password."
        case .currentPasswordInvalid: "The current password is not correct."
        case .freshSignInRequired: ModelText(AuthError.freshSignInNeeded.message)
        case .reauthenticationNeeded: "Please enter the code from the email."
        case .reauthenticationNotValid: "The code is not correct, or too old."
        case .emailProviderDisabled: "The email address cannot be changed here."
        case .singleIdentityNotDeletable: "This is the last way to sign in. Please add another one first."
        default: nil
        }
    }
}
