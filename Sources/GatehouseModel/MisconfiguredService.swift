import Foundation
import Gatehouse

/// Throws the same problem in every call.
struct MisconfiguredService: AuthService {
    let problem: SetupProblem

    var authStateChanges: AsyncStream<AuthChange> { AsyncStream { $0.finish() } }
    var notices: AsyncStream<AuthNotice> { AsyncStream { $0.finish() } }
    var initialState: AuthState { .signedOut(.neverSignedIn) }
    var currentSession: Session? { nil }
    var redirectTo: URL? { nil }
    var reachability: Reachability { .unknown }
    func settings() throws -> AuthServerSettings { throw problem }
    func accessToken() throws -> String { throw problem }
    func signIn(email _: String, password _: String) throws -> Session { throw problem }
    func signUp(email _: String, password _: String, firstName _: String?) throws -> AuthResponse { throw problem }
    func signIn(with _: OpenIDConnectCredentials) throws -> Session { throw problem }
    func signIn(with _: Provider, in _: any WebAuthenticator) throws -> Session { throw problem }
    func confirmLink(_: LinkTicket) throws -> Session { throw problem }
    func confirmLink(_: LinkTicket, email _: String, password _: String) throws -> Session { throw problem }
    func recoverAccount(with _: LinkTicket) throws -> Session { throw problem }
    func updateMetadata(_: JSONObject) throws { throw problem }
    func update(user _: UserAttributes) throws -> User { throw problem }
    func reauthenticate() throws { throw problem }
    func checkAppleCredential(_: AppleCredentials) -> Bool { false }
    func identities() throws -> [UserIdentity] { throw problem }
    func link(with _: OpenIDConnectCredentials) throws -> Session { throw problem }
    func link(_: Provider, in _: any WebAuthenticator) throws -> Session { throw problem }
    func undoableLinks() throws -> [UndoableLink] { throw problem }
    func undoLink(identityID _: UUID) throws { throw problem }
    func unlink(_: UserIdentity) throws { throw problem }
    func sendPasswordMail(to _: String) throws { throw problem }
    func resendConfirmation(to _: String) throws { throw problem }
    func openMailLink(_: URL) throws { throw problem }
    func sessions() throws -> [SessionInfo] { throw problem }
    func revokeSession(id _: UUID) throws { throw problem }
    func signOut() {}
    func fetchMe() throws -> SignedInAccount { throw problem }
    func updateProfile(_: ProfileChange) throws -> SignedInAccount { throw problem }
    func deleteAccount() throws { throw problem }
}
