public import Gatehouse
public import Observation

/// The state of the question "Add a passkey?" (``AuthManager/asksForPasskey``).
@MainActor @Observable
public final class PasskeyOfferModel {
    /// Whether the passkey is being added.
    public private(set) var isWorking = false
    /// The message about the last attempt. A closed sheet shows none.
    public private(set) var message: SignInMessage?
    private let manager: AuthManager

    /// Creates a model for the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// Adds the passkey. The question is answered when that succeeds.
    @discardableResult
    public func add(with passkeys: any PasskeyAuthenticator) -> Task<Void, Never>? {
        guard !isWorking else { return nil }
        (isWorking, message) = (true, nil)
        return Task {
            do throws(AuthError) {
                try await manager.passkeys.add(with: passkeys)
            } catch {
                message = SignInMessage(changing: error)
            }
            isWorking = false
        }
    }

    /// The user does not want one; never asked again on this device.
    public func dismiss() { manager.passkeys.dismissOffer() }
}
