// On Linux this module is the package's own.
#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
import Foundation

/// The system's passkeys (`ASAuthorizationController`). The app needs the entitlement
/// `webcredentials:accounts.example.com` for its passkeys' domain, and that domain an `apple-app-site-association`.
public struct SystemPasskeys: PasskeyAuthenticator {
    let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Shows nothing yet. `anchor` returns the sheet's window.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) { self.anchor = anchor }

    public func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) async throws -> AuthJSON
    {
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: options.relyingPartyID)
        let request: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
        if style == .automatic {
            guard #available(iOS 18, macOS 15, visionOS 2, *) else { throw AuthClientError.cancelled }
            request = provider.createCredentialRegistrationRequest(
                challenge: Data(options.challenge), name: options.userName, userID: Data(options.userHandle),
                requestStyle: .conditional)
        } else {
            request = provider.createCredentialRegistrationRequest(
                challenge: Data(options.challenge), name: options.userName, userID: Data(options.userHandle))
        }
        if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
            request.excludedCredentials = options.excludedCredentials.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0))
            }
        }
        return try await PasskeyCeremony(anchor: anchor).run(request, style: .sheet) { credential in
            guard let created = credential as? any ASAuthorizationPublicKeyCredentialRegistration else {
                throw AuthClientError.passkeyFailed("no registration")
            }
            return try Self.json(created)
        }
    }

    public func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) async throws -> AuthJSON {
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: options.relyingPartyID)
        let request = provider.createCredentialAssertionRequest(challenge: Data(options.challenge))
        request.allowedCredentials = options.allowedCredentials.map {
            ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0))
        }
        return try await PasskeyCeremony(anchor: anchor).run(request, style: style) { credential in
            guard let signed = credential as? any ASAuthorizationPublicKeyCredentialAssertion else {
                throw AuthClientError.passkeyFailed("no assertion")
            }
            return Self.json(
                signed.credentialID,
                [
                    "clientDataJSON": Self.text(signed.rawClientDataJSON),
                    "authenticatorData": Self.text(signed.rawAuthenticatorData),
                    "signature": Self.text(signed.signature), "userHandle": Self.text(signed.userID),
                ])
        }
    }

    public func signal(_ signal: PasskeySignal) async { await PasskeySignals.report(signal) }

    static func json(_ created: any ASAuthorizationPublicKeyCredentialRegistration) throws -> AuthJSON {
        guard let attestation = created.rawAttestationObject else {
            throw AuthClientError.passkeyFailed("no registration")
        }
        return json(
            created.credentialID,
            ["clientDataJSON": text(created.rawClientDataJSON), "attestationObject": text(attestation)])
    }

    private static func text(_ data: Data) -> AuthJSON { .string(Base64URL.text(Array(data))) }

    private static func json(_ id: Data, _ response: AuthJSONObject) -> AuthJSON {
        ["id": text(id), "rawId": text(id), "type": "public-key", "response": .object(response)]
    }
}

/// One request, which retains itself until it ends. Reads credentials where they arrive, because they may not leave the
/// main actor.
@MainActor
final class PasskeyCeremony: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
{
    typealias Reading = @MainActor @Sendable (any ASAuthorizationCredential) throws -> AuthJSON

    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private var controller: ASAuthorizationController?
    private var waiter: CheckedContinuation<AuthJSON, any Error>?
    private var read: Reading?
    private var style = PasskeyRequestStyle.sheet
    private var isCancelled = false
    /// Some errors are then outcomes.
    private let asksForAccount: Bool

    init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor, asksForAccount: Bool = false) {
        (self.anchor, self.asksForAccount) = (anchor, asksForAccount)
        super.init()
    }

    func run(
        _ request: ASAuthorizationRequest, style: PasskeyRequestStyle, read: @escaping Reading
    ) async throws -> AuthJSON {
        (self.style, self.read) = (style, read)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                guard !isCancelled else { return waiter.resume(throwing: CancellationError()) }
                self.waiter = waiter
                let controller = ASAuthorizationController(authorizationRequests: [request])
                controller.delegate = self
                controller.presentationContextProvider = self
                self.controller = controller
                perform(controller)
            }
        } onCancel: {
            Task { @MainActor in self.cancel() }
        }
    }

    private func perform(_ controller: ASAuthorizationController) {
        switch style {
        case .sheet: controller.performRequests()
        case .immediatelyAvailable: controller.performImmediateRequests()
        case .autoFill: if !controller.performKeyboardRequests() { end(.failure(AuthClientError.noPasskey)) }
        }
    }

    private func cancel() {
        isCancelled = true
        controller?.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ outcome: Result<AuthJSON, any Error>) {
        waiter?.resume(with: outcome)
        (waiter, controller, read) = (nil, nil, nil)
    }

    func presentationAnchor(for _: ASAuthorizationController) -> ASPresentationAnchor { anchor() }

    func authorizationController(
        controller _: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        guard let read else { return }
        end(Result { try read(authorization.credential) })
    }

    func authorizationController(controller _: ASAuthorizationController, didCompleteWithError error: any Error) {
        end(.failure(failure(error)))
    }

    /// "No passkey on this device" is also reported as a cancellation.
    private func failure(_ error: any Error) -> any Error {
        guard let error = error as? ASAuthorizationError else { return AuthClientError.passkeyFailed(error.shortText) }
        if error.code == .canceled { return style == .sheet ? AuthClientError.cancelled : .noPasskey }
        if #available(iOS 26, macOS 26, visionOS 26, *), asksForAccount, let problem = PasskeyAccountProblem(error) {
            return problem
        }
        if #available(iOS 18, macOS 15, visionOS 2, *), error.code == .matchedExcludedCredential {
            return AuthClientError.passkeyExists
        }
        return AuthClientError.passkeyFailed(error.shortText)
    }
}

@available(iOS 26, macOS 26, visionOS 26, *)
extension PasskeySignal {
    func report(to updater: ASCredentialUpdater) async throws {
        switch self {
        case .accepted(let party, let user, let credentials):
            try await updater.reportAllAcceptedPublicKeyCredentials(
                relyingPartyIdentifier: party, userHandle: Data(user),
                acceptedCredentialIDs: credentials.map { Data($0) })
        case .unknown(let party, let credential):
            try await updater.reportUnknownPublicKeyCredential(
                relyingPartyIdentifier: party, credentialID: Data(credential))
        case .renamed(let party, let user, let name):
            try await updater.reportPublicKeyCredentialUpdate(
                relyingPartyIdentifier: party, userHandle: Data(user), newName: name)
        }
    }
}
#endif
