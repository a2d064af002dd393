// On Linux this module is the package's own.
#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
import AuthenticationServices
import Foundation

// `ASAuthorizationAccountCreationProvider`.
extension SystemPasskeys {
    public var hasAccountSheet: Bool {
        if #available(iOS 26, macOS 26, visionOS 26, *) { true } else { false }
    }

    public func createAccount(_ options: AuthPasskeyRegistrationOptions) async throws -> PasskeyAccount {
        guard #available(iOS 26, macOS 26, visionOS 26, *) else { throw PasskeyAccountProblem.unavailable }
        let request = ASAuthorizationAccountCreationProvider().createPlatformPublicKeyCredentialRegistrationRequest(
            acceptedContactIdentifiers: [.email], shouldRequestName: true,
            relyingPartyIdentifier: options.relyingPartyID, challenge: Data(options.challenge),
            userID: Data(options.userHandle))
        // The credential itself may not leave the main actor.
        let entered = Locked<(email: String, name: AppleName?)?>(nil)
        let ceremony = await PasskeyCeremony(anchor: anchor, asksForAccount: true)
        let credential = try await ceremony.run(request, style: .sheet) { credential in
            guard let account = credential as? ASAuthorizationAccountCreationPlatformPublicKeyCredential,
                case .email(let email) = account.contactIdentifier
            else { throw AuthClientError.passkeyFailed("no account") }
            let (address, given, family) = (email.value, account.name?.givenName, account.name?.familyName)
            entered.withLock { $0 = (address, AppleName(given: given, family: family)) }
            return try Self.json(account.credentialRegistration)
        }
        guard let (email, name) = entered.withLock({ $0 }) else { throw AuthClientError.passkeyFailed("no account") }
        return PasskeyAccount(credential: credential, email: email, name: name)
    }
}

@available(iOS 26, macOS 26, visionOS 26, *)
extension PasskeyAccountProblem {
    init?(_ error: ASAuthorizationError) {
        switch error.code {
        case .deviceNotConfiguredForPasskeyCreation: self = .unavailable
        case .preferSignInWithApple: self = .prefersApple
        default: return nil
        }
    }
}
#endif
