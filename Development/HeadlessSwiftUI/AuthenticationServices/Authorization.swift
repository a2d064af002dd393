public import Foundation

// The parts of AuthenticationServices that the screens use, as Apple documents them. ``ProviderSheets`` determine the
// user's actions.

public protocol ASAuthorizationCredential: NSObjectProtocol {}

public protocol ASAuthorizationProvider: NSObjectProtocol {}

open class ASAuthorization: NSObject {
    public let provider: any ASAuthorizationProvider
    public let credential: any ASAuthorizationCredential

    package init(provider: any ASAuthorizationProvider, credential: any ASAuthorizationCredential) {
        self.provider = provider
        self.credential = credential
    }

    public struct Scope: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let fullName = ASAuthorization.Scope(rawValue: "full_name")
        public static let email = ASAuthorization.Scope(rawValue: "email")
    }
}

open class ASAuthorizationRequest: NSObject {
    public let provider: any ASAuthorizationProvider

    package init(provider: any ASAuthorizationProvider) { self.provider = provider }
}

open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    open var requestedScopes: [ASAuthorization.Scope]?
    open var state: String?
    open var nonce: String?
}

open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {
    open var user: String?
}

open class ASAuthorizationAppleIDProvider: NSObject, ASAuthorizationProvider {
    public override init() {}
    open func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest(provider: self) }
}

open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    public let user: String
    public let state: String?
    public let authorizedScopes: [ASAuthorization.Scope]
    public let authorizationCode: Data?
    public let identityToken: Data?
    public let email: String?
    public let fullName: PersonNameComponents?

    package init(
        user: String, state: String? = nil, authorizedScopes: [ASAuthorization.Scope] = [],
        authorizationCode: Data? = nil, identityToken: Data?, email: String? = nil,
        fullName: PersonNameComponents? = nil
    ) {
        self.user = user
        self.state = state
        self.authorizedScopes = authorizedScopes
        self.authorizationCode = authorizationCode
        self.identityToken = identityToken
        self.email = email
        self.fullName = fullName
    }
}

open class ASPasswordCredential: NSObject, ASAuthorizationCredential {
    public let user: String
    public let password: String

    public init(user: String, password: String) { (self.user, self.password) = (user, password) }
}

public struct ASAuthorizationError: Error, Equatable, Sendable {
    @nonexhaustive public enum Code: Int, Sendable {
        case unknown = 1000
        case canceled = 1001
        case invalidResponse = 1002
        case notHandled = 1003
        case failed = 1004
        case notInteractive = 1005
    }

    public let code: ASAuthorizationError.Code
    public init(_ code: ASAuthorizationError.Code) { self.code = code }

    public static var unknown: ASAuthorizationError.Code { .unknown }
    public static var canceled: ASAuthorizationError.Code { .canceled }
    public static var invalidResponse: ASAuthorizationError.Code { .invalidResponse }
    public static var notHandled: ASAuthorizationError.Code { .notHandled }
    public static var failed: ASAuthorizationError.Code { .failed }
    public static var notInteractive: ASAuthorizationError.Code { .notInteractive }
}

public struct ASWebAuthenticationSessionError: Error, Equatable, Sendable {
    @nonexhaustive public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public let code: ASWebAuthenticationSessionError.Code
    public init(_ code: ASWebAuthenticationSessionError.Code) { self.code = code }

    public static var canceledLogin: ASWebAuthenticationSessionError.Code { .canceledLogin }
    public static var presentationContextNotProvided: ASWebAuthenticationSessionError.Code {
        .presentationContextNotProvided
    }
    public static var presentationContextInvalid: ASWebAuthenticationSessionError.Code { .presentationContextInvalid }
}
