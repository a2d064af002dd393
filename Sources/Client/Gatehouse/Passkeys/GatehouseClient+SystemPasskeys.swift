#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices

extension GatehouseClient {
    /// Signs in with a passkey in the system's sheet; see ``signInWithPasskey(with:style:captchaToken:)``.
    @discardableResult
    public func signInWithPasskey(
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) async throws -> AuthSession {
        try await signInWithPasskey(with: SystemPasskeys(anchor: presentationAnchor))
    }

    /// Creates a passkey in the system's sheet; see ``registerPasskey(with:style:)``.
    @discardableResult
    public func registerPasskey(
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) async throws -> AuthPasskey {
        try await registerPasskey(with: SystemPasskeys(anchor: presentationAnchor))
    }
}
#endif
