import Foundation
import Gatehouse
import GatehouseWire

struct InMemoryRequest: Sendable {
    let method: String
    let path: [String]
    let isGateway: Bool
    let query: [String: String]
    let body: AuthJSON
    /// The access token, or the app's API key.
    let bearer: String
    /// nil without one.
    let proof: Result<InMemoryProof, AuthClientError>?

    init(_ call: HTTPCall) {
        let parts = call.url.path.split(separator: "/").map(String.init)
        isGateway = Array(parts.prefix(2)) != ["auth", "v1"]
        path = isGateway ? parts : Array(parts.dropFirst(2))
        method = call.method
        query = call.url.queryValues
        // Ignored: a body that is no JSON counts as empty.
        body = call.body.flatMap { try? JSONReader.read($0) } ?? .null
        proof = call.headers["dpop"].map { text in
            Result { () throws(AuthClientError) in try InMemoryProof(text, for: call) }
        }
        bearer = String((call.headers["authorization"] ?? "").dropFirst("Bearer ".count))
    }

    /// Empty if absent.
    func text(_ name: String) -> String { body[name]?.stringValue ?? "" }

    /// A sign-out may come from a device without its key.
    var changesAccount: Bool {
        path != ["logout"] && (method != "GET" || path == ["user", "identities", "authorize"])
    }

    var id: UUID? { path.lazy.compactMap { UUID(uuidString: $0) }.first }

    /// "POST token", without ids.
    private var route: String {
        ([method] + path.map { UUID(uuidString: $0) == nil ? $0 : "*" }).joined(separator: " ")
    }

    /// nil for a part of another call.
    ///
    /// - Parameter isAgain: Whether the device is signed in to the account with this address or number; nil for a
    ///   passkey's.
    func call(isAgain: (_ email: String?) -> Bool) -> InMemoryAuthService.Call? {
        switch route {
        case "POST token": tokenCall(isAgain)
        case "POST passkeys authentication verify": isAgain(nil) ? .signInAgain : .signInWithPasskey
        case "PUT user":
            body.objectValue?.keys.allSatisfy({ $0 == "data" }) == true ? .updateMetadata : .updateUser
        case "POST otp" where !text("phone").isEmpty, "POST resend" where !text("phone").isEmpty: .sendText
        case "POST resend": text("type") == "signup" ? .resendConfirmation : .resendEmailChange
        default: Self.routes[route]
        }
    }

    private func tokenCall(_ isAgain: (_ email: String?) -> Bool) -> InMemoryAuthService.Call? {
        switch query["grant_type"] {
        case "password": isAgain(body["phone"]?.stringValue ?? text("email")) ? .signInAgain : .signIn
        case "id_token": body["link_identity"]?.boolValue == true ? .link : .signInWithProvider
        case "pkce": ScriptedFlow.read(code: text("auth_code")) == nil ? .openMailLink : .finishInBrowser
        case "refresh_token": .refresh
        case "link_confirmation": .confirmLink
        case "link_recovery": .recoverAccount
        default: nil
        }
    }

    private static let routes: [String: InMemoryAuthService.Call] = [
        "GET settings": .settings, "POST signup": .signUp, "POST verify": .verifyCode, "POST otp": .sendSignInMail,
        "POST recover": .sendPasswordMail, "POST link code": .sendLinkCode, "GET user": .user,
        "GET reauthenticate": .reauthenticate, "POST user start-over": .startOver,
        "GET user identities authorize": .startLinkInBrowser, "DELETE user identities *": .unlink,
        "GET user identities undoable": .undoableLinks, "POST user identities * undo": .undoLink,
        "POST sessions children": .makeChildSession, "GET sessions": .sessions, "DELETE sessions *": .revokeSession,
        "POST passkeys authentication options": .passkeyOptions, "POST passkeys registration options": .passkeyOptions,
        "POST passkeys signup options": .passkeyOptions, "POST passkeys signup verify": .signUp,
        "POST passkeys registration verify": .registerPasskey, "GET passkeys": .passkeys,
        "PATCH passkeys *": .changePasskey, "DELETE passkeys *": .changePasskey,
        "POST factors": .enrollFactor, "POST factors * verify": .verifyFactor, "DELETE factors *": .removeFactor,
        "GET factors recovery-codes": .recoveryCodes, "POST factors recovery-codes": .makeRecoveryCodes,
        "POST factors recovery-codes regenerate": .makeRecoveryCodes,
        "POST factors recovery-codes verify": .verifyRecoveryCode, "DELETE factors recovery-codes": .removeFactor,
        "GET oauth authorizations *": .authorization, "GET oauth device": .authorization,
        "POST oauth authorizations * consent": .decideAuthorization,
        "POST oauth authorizations * release": .releaseAuthorization,
        "GET oauth authorizations": .pendingAuthorizations, "GET user oauth grants": .grants,
        "DELETE user oauth grants": .revokeGrant,
        "GET v1 auth me": .fetchMe, "PATCH v1 auth me": .updateProfile, "DELETE v1 auth me": .deleteAccount,
    ]
}
