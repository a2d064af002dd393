import Gatehouse
public import Observation

/// The state of the screen where the user enters the code of a television, terminal or another device.
@MainActor @Observable
public final class DeviceCodeModel {
    /// The typed code, at most 64 bytes.
    public var typed = "" { didSet { if typed.utf8.count > 64 { typed = oldValue } } }
    /// Whether the code is being checked.
    public private(set) var isWorking = false
    /// The last attempt's message.
    public private(set) var message: SignInMessage?
    /// The request of the code, with its details: show it.
    public private(set) var request: AuthorizationRequestModel?
    private let manager: AuthManager

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// Whether the button is enabled.
    public var canSubmit: Bool { !isWorking && OAuthUserCode(typed) != nil }

    /// Fetches the code's request if ``canSubmit`` is true.
    ///
    /// - Returns: The work, which outlives the screen.
    @discardableResult
    public func submit() -> Task<Void, Never>? {
        guard canSubmit, let code = OAuthUserCode(typed) else { return nil }
        (isWorking, message) = (true, nil)
        let model = AuthorizationRequestModel(AuthorizationRequest(.device(code), from: .code), manager: manager)
        return Task {
            await model.load()
            isWorking = false
            switch model.phase {
            case .gone: message = SignInMessage(AuthError.codeWrong.content)
            case .failed, .needsProof: message = model.message
            default: request = model
            }
        }
    }
}
