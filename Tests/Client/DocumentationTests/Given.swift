import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI

// Used by the documentation's examples, except those that run as tests.

/// A placeholder for a value.
private func given<Value>() -> Value { preconditionFailure("The examples are not run.") }

/// An app's view around an example.
struct Given {
    @State var showsAccount = false
}

let url: URL = given()
let redirectTo: URL = given()
let terms: URL = given()
let publishableKey: String = given()
let secretKey: String = given()
let key: String = given()
let email: String = given()
let password: String = given()
let code: String = given()
let idToken: String = given()
let givenName: String = given()
let storage: any SecureStorage = given()
let client: GatehouseClient = given()
let question: AuthLinkQuestion = given()
let gateway: GatewayClient = given()
let session: AuthSession = given()
let user: AuthenticatedUser = given()
let credentials: IDTokenCredentials = given()
let nonce: SignInNonce = given()
let browser: any WebAuthenticator = given()
let authenticator: any PasskeyAuthenticator = given()
let passkeys: any PasskeyAuthenticator = given()
let service: any AuthService = given()
let error: AuthClientError = given()
let logger = Logger()
let support = Support()
let webAuthenticationSession = BrowserSheet()
@MainActor let manager: AuthManager = given()
@MainActor let account: AuthManager = given()
@MainActor var message: Any?
@MainActor var showsLogin = false
@MainActor var showsGoogle = false
@MainActor var showsForgotPassword = false
@MainActor var title = Caption()
@MainActor var subtitle = Caption()
@MainActor let rows = Text("")
@MainActor var showsMailHint = false
@MainActor var request = AppleRequest()
let credential: AppleUser = given()
let field: TextValue = given()

/// An app's support.
struct Support {
    func open(attaching _: String) {}
}

struct Logger: Sendable {
    func debug(_: String) {}
}

struct BrowserSheet: Sendable {
    func authenticate(using _: URL, callbackURLScheme _: String) async throws -> URL { given() }
}

struct AppleRequest: Sendable {
    var nonce: String?
}

struct AppleUser: Sendable {
    var user: String
}

struct Caption: Sendable {
    var text: String?
}

struct TextValue: Sendable {
    var text: String
}

func openURL(_: URL) {}
func deleteThroughMyEdgeFunction() async throws {}
func show(_: AuthEvent, _: AuthUser?) {}
func greet(_: String?) {}
func show(_: String?) {}
func show(_: [String]) {}

/// An app's own fields.
struct Diary: Codable {
    var mood: String?
}

struct HomeView: View {
    var body: some View { EmptyView() }
}

struct Journal: View {
    let user: UUID

    init(of user: UUID) { self.user = user }

    var body: some View { EmptyView() }
}

struct RemindersView: View {
    var body: some View { EmptyView() }
}

struct SignInView: View {
    let account: AuthManager

    var body: some View { EmptyView() }
}

struct ProofScreen: View {
    let model: ProofModel

    var body: some View { EmptyView() }
}
