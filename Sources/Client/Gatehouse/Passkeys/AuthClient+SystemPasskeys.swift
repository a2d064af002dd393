#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices

extension AuthClient {
    /// Signs in with a passkey in the system's sheet.
    ///
    /// - Throws: As ``signInWithPasskey(with:style:captchaToken:)``.
    @discardableResult
    public func signInWithPasskey(
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) async throws -> Session {
        try await signInWithPasskey(with: SystemPasskeys(anchor: presentationAnchor))
    }

    /// Creates a passkey in the system's sheet.
    ///
    /// - Throws: As ``registerPasskey(with:style:)``.
    @discardableResult
    public func registerPasskey(
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) async throws -> Passkey {
        try await registerPasskey(with: SystemPasskeys(anchor: presentationAnchor))
    }
}
#endif
