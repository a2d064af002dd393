import Foundation
import Gatehouse

struct MisconfiguredService: AuthService {
    let error: AuthError

    var authStateChanges: AsyncStream<AuthChange> { AsyncStream { $0.finish() } }
    var notices: AsyncStream<AuthNotice> { AsyncStream { $0.finish() } }
    var initialState: AuthState { .signedOut(.neverSignedIn) }
    var currentSession: AuthSession? { nil }
    var redirectTo: URL? { nil }
    var reachability: Reachability { .unknown }
    func settings() throws -> AuthServerSettings { throw error }
    func accessToken() throws -> String { throw error }
    func accessToken(insteadOf _: String) throws -> String { throw error }
    func signInAnonymously() throws -> AuthSession { throw error }
    func signIn(email _: String, password _: String) throws -> AuthSession { throw error }
    func signUp(email _: String, password _: String, firstName _: String?) throws -> SessionOrUser { throw error }
    func signIn(with _: IDTokenCredentials) throws -> AuthSession { throw error }
    func signIn(with _: AuthProvider, in _: any WebAuthenticator) throws -> AuthSession { throw error }
    func confirmLink(_: AuthLinkTicket) throws -> AuthSession { throw error }
    func confirmLink(_: AuthLinkTicket, email _: String, password _: String) throws -> AuthSession { throw error }
    func sendLinkCode(for _: AuthLinkTicket) throws { throw error }
    func confirmLink(_: AuthLinkTicket, code _: String) throws -> AuthSession { throw error }
    func recoverAccount(with _: AuthLinkTicket) throws -> AuthSession { throw error }
    func updateMetadata(_: AuthJSONObject) throws { throw error }
    func update(user _: AuthUserAttributes) throws -> AuthUser { throw error }
    func reauthenticate() throws { throw error }
    func checkAppleCredential(_: AppleConsent) -> Bool { false }
    func identities() throws -> [AuthUserIdentity] { throw error }
    func link(with _: IDTokenCredentials) throws -> AuthSession { throw error }
    func link(_: AuthProvider, in _: any WebAuthenticator) throws -> AuthSession { throw error }
    func undoableLinks() throws -> [AuthUndoableLink] { throw error }
    func undoLink(identityID _: UUID) throws { throw error }
    func unlink(_: AuthUserIdentity) throws { throw error }
    func sendPasswordMail(to _: String) throws { throw error }
    func resendConfirmation(to _: String) throws { throw error }
    func sendSignInMail(to _: String) throws { throw error }
    func resendEmailChange(of _: String) throws { throw error }
    func verify(code _: String, sentTo _: String, for _: EmailCodeType) throws -> SessionOrUser { throw error }
    func verify(code _: String, sentTo _: String, for _: EmailCodeType, password _: String) throws -> SessionOrUser {
        throw error
    }
    func verify(code _: String, restoring _: AuthSetAsideTicket) throws -> SessionOrUser { throw error }
    func startOver() throws -> AuthSession { throw error }
    func signUp(phone _: String, password _: String, firstName _: String?) throws -> SessionOrUser { throw error }
    func signIn(phone _: String, password _: String) throws -> AuthSession { throw error }
    func sendSignInText(to _: String) throws { throw error }
    func resendText(to _: String, for _: PhoneCodeType) throws { throw error }
    func verify(code _: String, textedTo _: String, for _: PhoneCodeType, password _: String?) throws -> SessionOrUser {
        throw error
    }
    func authorization(_: OAuthConsentLink) throws -> OAuthAuthorizationDetailsResponse { throw error }
    func approve(_: OAuthAuthorizationID) throws -> OAuthRedirect? { throw error }
    func deny(_: OAuthAuthorizationID, reporting _: Bool) throws -> OAuthRedirect? { throw error }
    func pendingAuthorizations() throws -> [OAuthAuthorizationDetails] { throw error }
    func grants() throws -> [OAuthGrant] { throw error }
    func revokeGrant(of _: String) throws { throw error }
    func openMailLink(_: URL, replacing _: @escaping @Sendable (AuthUser) async -> Bool) throws { throw error }
    func sessions() throws -> [SessionInfo] { throw error }
    func revokeSession(id _: UUID) throws { throw error }
    func signOut() {}
    func fetchMe() throws -> SignedInAccount { throw error }
    func updateProfile(_: ProfileChange) throws -> SignedInAccount { throw error }
    func deleteAccount() throws { throw error }
}
