import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension Visit {
    /// Has the user sign in, and come back to this page.
    mutating func toSignIn(_ flash: Flash?) -> Place {
        let place = Place.allCases.first { $0.path == request.uri.path }
        session.next = place.flatMap { $0.isAccount || $0 == .goOn ? $0 : nil }
        session.flash = flash
        return .signIn
    }

    mutating func goToSignIn(_ flash: Flash?) -> Outcome {
        pages.site == .console ? goToConsoleSignIn(flash) : .go(toSignIn(flash))
    }

    /// What the user reads about a refusal.
    func message(for refusal: CallRefusal) -> String {
        if refusal.status == 429 {
            return refusal.code == .overEmailSendRateLimit
                ? say("An email was requested a moment ago. Please wait before you ask for another one.")
                : say("Too many attempts. Please wait a moment and try again.")
        }
        switch refusal.code {
        case .invalidCredentials: return say("Incorrect email or password. Please try again.")
        case .weakPassword: return weakPassword(refusal.weakPasswordReasons)
        case .samePassword: return say("Please choose a password that is not the current one.")
        case .currentPasswordRequired: return say("Please enter your current password.")
        case .currentPasswordInvalid: return say("The current password is not correct.")
        case .emailExists, .userAlreadyExists: return say("This email is already associated with another account.")
        case .signupDisabled: return say("New accounts cannot be created here.")
        case .userBanned: return say("This account is blocked. Please contact the support of this app.")
        case .otpExpired, .reauthenticationNotValid: return say("The code is not correct, or too old.")
        case .captchaFailed: return say("Please confirm that you are a person, then try again.")
        case .emailProviderDisabled: return say("Email is not available here.")
        case .singleIdentityNotDeletable: return say("This is the last way to sign in. Please add another one first.")
        case .identityAlreadyExists: return say("This email is already associated with another account.")
        case .linkNotUndoable: return say("This can no longer be undone.")
        case .linkTicketNotFound, .linkTicketOutdated, .flowStateNotFound, .flowStateExpired:
            return say("That took too long. Please sign in again.")
        case .linkTicketOtherAccount:
            return say("That account has another email. Please sign in to the one with this email.")
        case .validationFailed where fields["email"] != nil: return say("Please enter a valid email address.")
        default: return say("Something went wrong. Please try again.")
        }
    }

    private func weakPassword(_ reasons: [String]) -> String {
        if reasons.contains("length") {
            return say("Password must be at least %@ characters.", fields["minimum"]?.shown ?? "8")
        }
        return reasons.contains("characters")
            ? say("Please use more kinds of characters: small and capital letters, digits, symbols.")
            : say("This password is too easy to guess. Please choose another one.")
    }

    func notice(_ flash: Flash) -> Notice {
        switch flash {
        case .signedOut: .done(say("You are signed out."))
        case .passwordSaved: .done(say("Your password has been saved."))
        case .profileSaved: .done(say("Your changes have been saved."))
        case .deviceEnded: .done(say("The device is signed out."))
        case .othersEnded: .done(say("All other devices are signed out."))
        case .methodAdded: .done(say("The sign-in method has been added."))
        case .methodRemoved: .done(say("The sign-in method has been removed."))
        case .linkUndone: .done(say("The sign-in method has been removed."))
        case .mailSent: .done(say("The email is on its way."))
        case .emailChanged: .done(say("Your email has been changed."))
        case .confirmOther: .done(say("Now confirm your other email."))
        case .accountDeleted: .done(say("Your account has been deleted."))
        case .signInAgain: .problem(say("Please sign in again, then repeat this."))
        case .sessionOver: .problem(say("Session expired. Please sign in again."))
        case .tookTooLong: .problem(say("That took too long. Please sign in again."))
        case .providerFailed: .problem(say("Sign in failed. Please try again."))
        case .linkFailed: .problem(say("The link could not be opened."))
        }
    }

    var oldFormPage: Page {
        problemPage(say("This form is too old. Please try again."), status: .forbidden)
    }

    func problemPage(_ text: String, status: HTTPResponse.Status) -> Page {
        let place = Place.allCases.first { $0.path == request.uri.path } ?? .home
        let address = pages.site == .console ? consoleRetryPath : place.path
        var page = Page(text, [.buttons([Link(title: say("Try Again"), address: address)])])
        page.status = status
        return page
    }
}

extension CallRefusal {
    var needsFreshSignIn: Bool {
        code == .freshSignInRequired || code.rawValue == "FRESH_SIGN_IN_REQUIRED"
    }
}

extension Place {
    /// Whether the page is for users who are signed in.
    var isAccount: Bool {
        switch self {
        case .home, .newPassword, .security, .email, .devices, .methods, .profile, .data, .delete: true
        case .signIn, .signInCode, .signUp, .checkMail, .forgotPassword, .linkQuestion, .goOn, .callback: false
        }
    }
}
