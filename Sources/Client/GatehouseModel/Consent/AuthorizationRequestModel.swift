public import Gatehouse
public import Observation

/// The state of the screen with one request for access.
///
/// Decisions return their work, which outlives the screen.
@MainActor @Observable
public final class AuthorizationRequestModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The request is loading.
        case loading
        /// ``AuthorizationRequestModel/details`` are shown, and the user decides.
        case asking
        /// The decision is being sent; disable all buttons.
        case deciding
        /// The user has not given the required proof, or must first sign in again. Approve again, or load again without
        /// ``AuthorizationRequestModel/details``.
        case needsProof
        /// The client has access. Open the URL if ``AuthorizationRequestModel/continuesHere``; a device has none.
        case approved(OAuthRedirect?)
        /// The client has no access. The URL tells the client; none for a device, and after a report.
        case denied(OAuthRedirect?)
        /// The request is unknown, expired or another user's.
        case gone
        /// The request was decided before.
        case alreadyDecided
        /// Loading or the decision failed: offer ``AuthorizationRequestModel/retry()``.
        case failed(SignInMessage)
    }

    private enum Decision {
        case approve
        case deny(reporting: Bool)
        case release
    }

    /// The request.
    public let request: AuthorizationRequest
    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The request's details, once loaded.
    public private(set) var details: OAuthAuthorizationDetails?
    /// Shows the login while true, after ``useAnotherAccount()``. Call ``load()`` once another account has signed in.
    public private(set) var choosesAccount = false
    private let manager: AuthManager
    private var decision: Decision?

    /// Creates a model.
    public init(_ request: AuthorizationRequest, manager: AuthManager) {
        self.request = request
        self.manager = manager
    }

    /// The last failure's message.
    public var message: SignInMessage? {
        switch phase {
        case .failed(let message): message
        case .needsProof: SignInMessage(AuthError.secondFactorNeeded.content)
        default: nil
        }
    }

    /// Whether the browser that waits for the decision is on this device, as after a link.
    public var continuesHere: Bool { request.origin == .link }

    /// The code that the device must show; nil unless ``request`` has one.
    public var userCode: OAuthUserCode? { if case .device(let code) = request.link { code } else { nil } }

    /// Whether the user can decide now.
    public var canDecide: Bool {
        switch phase {
        case .asking, .needsProof, .failed: details != nil
        case .loading, .deciding, .approved, .denied, .gone, .alreadyDecided: false
        }
    }

    /// Enables *Approve*. False while a call runs, and for any account other than a required expected account.
    public var canApprove: Bool { canDecide && details?.expectedAccount?.isRequired != true }

    /// Enables *Use Another Account*. Always false for a device's code, which belongs to the account that typed it.
    public var canUseAnotherAccount: Bool { canDecide && details?.flow == .redirect }

    /// Loads the request, unless the account in use sees it already.
    public func load() async {
        guard !choosesAccount else { return }
        if let details, let user = manager.user, details.user.id != user.id { (self.details, phase) = (nil, .loading) }
        guard details == nil else { return }
        switch phase {
        case .loading, .needsProof, .failed: break
        case .asking, .deciding, .approved, .denied, .gone, .alreadyDecided: return
        }
        (phase, decision) = (.loading, nil)
        do throws(AuthError) {
            switch try await manager.consents.details(request.link) {
            case .details(let details):
                // Shown here, perhaps with the device's code: the poll does not cover it.
                manager.consentPoll.hidden.insert(details.authorizationID)
                (self.details, phase) = (details, .asking)
            case .redirect(let redirect): finish(.approved(redirect))
            case .approved: finish(.approved(nil))
            }
        } catch {
            // The screen has gone, or loads again.
            if error == .cancelled, Task.isCancelled { return }
            phase = Self.phase(after: error)
        }
    }

    /// Approves the request.
    @discardableResult
    public func approve() -> Task<Void, Never>? { canApprove ? decide(.approve) : nil }

    /// Denies the request.
    ///
    /// - Parameter reporting: Reports the client to the server's operator.
    @discardableResult
    public func deny(reporting: Bool = false) -> Task<Void, Never>? {
        canDecide ? decide(.deny(reporting: reporting)) : nil
    }

    /// Gives up the request, so that another account can look at it: ``choosesAccount``. The user stays signed in.
    @discardableResult
    public func useAnotherAccount() -> Task<Void, Never>? { canUseAnotherAccount ? decide(.release) : nil }

    /// Closes the login. Call ``load()`` afterwards.
    public func endChoice() { choosesAccount = false }

    /// Repeats the failed decision, otherwise loads again.
    @discardableResult
    public func retry() -> Task<Void, Never>? {
        guard case .failed = phase else { return nil }
        if let decision { return decide(decision) }
        return Task { await load() }
    }

    private func decide(_ decision: Decision) -> Task<Void, Never>? {
        guard let details else { return nil }
        (phase, self.decision) = (.deciding, decision)
        return Task {
            do throws(AuthError) {
                switch decision {
                case .approve: finish(.approved(try await manager.consents.approve(details)))
                case .deny(let reporting):
                    let redirect = try await manager.consents.deny(details, reporting: reporting)
                    finish(.denied(reporting ? nil : redirect))
                case .release:
                    try await manager.consents.release(details)
                    (self.details, phase, self.decision) = (nil, .loading, nil)
                    choosesAccount = true
                }
            } catch {
                phase = Self.phase(after: error)
            }
        }
    }

    private func finish(_ phase: Phase) {
        if let id = details?.authorizationID { manager.consentPoll.hidden.insert(id) }
        if case .authorization(let id) = request.link { manager.consentPoll.hidden.insert(id) }
        self.phase = phase
    }

    private static func phase(after error: AuthError) -> Phase {
        switch error {
        case .networkError(.refused(let refusal)) where refusal.status == 404: .gone
        case .networkError(.refused(let refusal)) where refusal.code == .validationFailed: .alreadyDecided
        case .freshSignInNeeded, .secondFactorNeeded, .cancelled: .needsProof
        default: .failed(SignInMessage(changing: error) ?? SignInMessage(AuthError.other, .retry))
        }
    }
}
