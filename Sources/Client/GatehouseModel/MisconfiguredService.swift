import Foundation
import Gatehouse

/// Throws the same error in every call.
struct MisconfiguredService: AuthService {
    let error: AuthError

    var authStateChanges: AsyncStream<AuthChange> { AsyncStream { $0.finish() } }
    var notices: AsyncStream<AuthNotice> { AsyncStream { $0.finish() } }
    var initialState: AuthState { .signedOut(.neverSignedIn) }
    var currentSession: Session? { nil }
    var redirectTo: URL? { nil }
    var reachability: Reachability { .unknown }
    func settings() throws -> AuthServerSettings { throw error }
    func accessToken() throws -> String { throw error }
    func accessToken(insteadOf _: String) throws -> String { throw error }
    func signInAnonymously() throws -> Session { throw error }
    func signIn(email _: String, password _: String) throws -> Session { throw error }
    func signUp(email _: String, password _: String, firstName _: String?) throws -> AuthResponse { throw error }
    func signIn(with _: OpenIDConnectCredentials) throws -> Session { throw error }
    func signIn(with _: Provider, in _: any WebAuthenticator) throws -> Session { throw error }
    func confirmLink(_: LinkTicket) throws -> Session { throw error }
    func confirmLink(_: LinkTicket, email _: String, password _: String) throws -> Session { throw error }
    func sendLinkCode(for _: LinkTicket) throws { throw error }
    func confirmLink(_: LinkTicket, code _: String) throws -> Session { throw error }
    func recoverAccount(with _: LinkTicket) throws -> Session { throw error }
    func updateMetadata(_: JSONObject) throws { throw error }
    func update(user _: UserAttributes) throws -> User { throw error }
    func reauthenticate() throws { throw error }
    func checkAppleCredential(_: AppleCredentials) -> Bool { false }
    func identities() throws -> [UserIdentity] { throw error }
    func link(with _: OpenIDConnectCredentials) throws -> Session { throw error }
    func link(_: Provider, in _: any WebAuthenticator) throws -> Session { throw error }
    func undoableLinks() throws -> [UndoableLink] { throw error }
    func undoLink(identityID _: UUID) throws { throw error }
    func unlink(_: UserIdentity) throws { throw error }
    func sendPasswordMail(to _: String) throws { throw error }
    func resendConfirmation(to _: String) throws { throw error }
    func sendSignInMail(to _: String) throws { throw error }
    func resendEmailChange(of _: String) throws { throw error }
    func verify(code _: String, sentTo _: String, for _: EmailOTPType) throws -> AuthResponse { throw error }
    func verify(code _: String, sentTo _: String, for _: EmailOTPType, password _: String) throws -> AuthResponse {
        throw error
    }
    func verify(code _: String, restoring _: SetAsideTicket) throws -> AuthResponse { throw error }
    func startOver() throws -> Session { throw error }
    func openMailLink(_: URL, replacing _: @escaping @Sendable (User) async -> Bool) throws { throw error }
    func sessions() throws -> [SessionInfo] { throw error }
    func revokeSession(id _: UUID) throws { throw error }
    func signOut() {}
    func fetchMe() throws -> SignedInAccount { throw error }
    func updateProfile(_: ProfileChange) throws -> SignedInAccount { throw error }
    func deleteAccount() throws { throw error }
}
