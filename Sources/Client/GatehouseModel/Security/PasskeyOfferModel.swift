public import Gatehouse
public import Observation

/// The state of the question "Add a passkey?" (``AuthManager/asksForPasskey``).
@MainActor @Observable
public final class PasskeyOfferModel {
    /// Whether the passkey is being added.
    public private(set) var isWorking = false
    /// The last attempt's message, none for a closed sheet.
    public private(set) var message: SignInMessage?
    private let manager: AuthManager

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// Adds the passkey, which answers the question.
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

    /// Declines; never asked again on this device.
    public func dismiss() { manager.passkeys.dismissOffer() }
}
