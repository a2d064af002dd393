import GatehouseWire
import HTTPTypes
import Hummingbird

extension Visit {
    /// Returns to this page after the sign-in.
    mutating func toSignIn(_ flash: Flash?) -> Place {
        returnHere()
        session.flash = flash
        return .signIn
    }

    var placeOfRequest: Place? {
        Place.allCases.first { $0.path == request.uri.path && ($0.isAccount || $0 == .goOn) }
    }

    mutating func goToSignIn(_ flash: Flash?) -> Outcome {
        pages.site == .console ? goToConsoleSignIn(flash) : .go(toSignIn(flash))
    }

    /// Returns to this page after the proof.
    mutating func goToSecondStep(_ flash: Flash?) -> Outcome {
        // A new password stays the next page, wherever else the user goes.
        if session.next != .newPassword { returnHere() }
        session.flash = flash
        return .go(.secondStep)
    }

    /// After the API rejected the last proof as too old or too weak.
    mutating func askForProof() async -> Outcome {
        guard pages.site == .account else { return goToSignIn(.signInAgain) }
        // Ignored: without the user, a new sign-in is a proof as well.
        let user = try? await user()
        guard let user, SecondSteps(user).exist else { return goToSignIn(.signInAgain) }
        return goToSecondStep(.confirmFirst)
    }

    func notice(_ flash: Flash) -> Notice {
        switch flash {
        case .signedOut: .done(say("You're signed out."))
        case .passwordSaved: .done(say("Your password has been saved."))
        case .deviceEnded: .done(say("The device is signed out."))
        case .othersEnded: .done(say("All other devices are signed out."))
        case .methodAdded: .done(say("The sign-in method has been added."))
        case .methodRemoved, .linkUndone: .done(say("The sign-in method has been removed."))
        case .mailSent: .done(say("The email is on its way."))
        case .emailChanged: .done(say("Your email has been changed."))
        case .confirmOther: .done(say("Now confirm from your other email address."))
        case .passkeyAdded: .done(say("The passkey has been added."))
        case .passkeyRemoved: .done(say("The passkey has been removed."))
        case .changesSaved, .profileSaved: .done(say("Your changes have been saved."))
        case .appAdded: .done(say("The authenticator app has been added."))
        case .factorRemoved: .done(say("The authenticator app has been removed."))
        case .keyAdded: .done(say("The security key has been added."))
        case .keyRemoved: .done(say("The security key has been removed."))
        case .recoveryCodesRemoved: .done(say("The recovery codes have been removed."))
        case .clientRemoved, .textSent, .phoneChanged, .phoneAdded, .phoneRemoved: .done(laterSentence(flash))
        case .confirmFirst:
            .problem(say("Please confirm that it's you, then try again."))
        case .linkNeedsFactor:
            .problem(say("This account uses two-step verification. Sign in to it to link your accounts."))
        case .startedOver: .done(say("You have a new account with this email."))
        case .accountDeleted: .done(say("Your account has been deleted."))
        case .signInAgain:
            .problem(
                both(
                    say("You signed in too long ago to do this."), say("Please sign in again, then try again.")))
        case .sessionOver: .problem(say("Session expired. Please sign in again."))
        case .tookTooLong: .problem(say("That took too long. Please sign in again."))
        case .providerFailed, .blocked, .noSignUps, .identityTaken, .providerWithoutEmail:
            .problem(providerSentence(flash))
        case .linkFailed:
            .problem(
                both(say("The link couldn't be opened."), say("Please request a new email, or enter its code.")))
        }
    }

    /// After a refused sign-in with a provider.
    private func providerSentence(_ flash: Flash) -> String {
        switch flash {
        case .blocked: blocked
        case .noSignUps: noSignUps
        case .identityTaken: identityTaken
        case .providerWithoutEmail: say("We didn't get a confirmed email address. Please sign in another way.")
        default: say("Sign in failed. Please try again.")
        }
    }

    private func laterSentence(_ flash: Flash) -> String {
        switch flash {
        case .phoneChanged: say("Your phone number has been changed.")
        case .phoneAdded: say("The phone number has been added.")
        case .phoneRemoved: say("The phone number has been removed.")
        case .clientRemoved: say("The app has been removed.")
        default: say("The message is on its way.")
        }
    }

    func emailSentence(of user: AuthUser) -> String {
        guard let email = user.email, !email.isEmpty else { return say("Your account has no email yet.") }
        return say("Your email is %@.", email.readableAddress)
    }

    /// Below the home page.
    func accountPage(_ title: String, _ notice: Notice? = nil) -> Page {
        var page = Page(title)
        page.back = (say("Account"), Place.home.path)
        page.notice = notice
        return page
    }

    var oldFormPage: Page {
        problemPage(say("This form has expired. Please try again."), status: .forbidden)
    }

    func problemPage(_ text: String, status: HTTPResponse.Status) -> Page {
        let place = Place.allCases.first { $0.path == request.uri.path } ?? .home
        let address = pages.site == .console ? consoleRetryPath : askedOfRequest?.path ?? place.path
        var page = Page(text, [.buttons([Link(title: say("Try Again"), address: address)])])
        page.status = status
        return page
    }
}

extension CallRefusal {
    var needsFreshSignIn: Bool {
        code == .freshSignInRequired || code.rawValue == "FRESH_SIGN_IN_REQUIRED"
    }

    /// A fresh sign-in, or the second factor.
    var needsProof: Bool { needsFreshSignIn || code == .insufficientAAL || code.rawValue == "INSUFFICIENT_AAL" }
}

extension Place {
    /// Requires a sign-in.
    var isAccount: Bool {
        switch self {
        case .home, .newPassword, .security, .passkeys, .passkey, .authenticator, .securityKeys, .recoveryCodes,
            .phoneFactors, .email, .phone, .devices, .methods, .profile, .data, .delete, .consent, .device, .apps:
            true
        case .signIn, .signInCode, .passkeySignIn, .phoneSignIn, .secondStep, .signUp, .passkeySignUp, .checkMail,
            .checkMessages, .forgotPassword, .recover, .invitation, .deviceReport, .linkQuestion, .goOn, .callback:
            false
        }
    }
}
