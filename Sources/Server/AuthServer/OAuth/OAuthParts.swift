import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension AuthServer {
    package var oauth: OAuthHandlers { OAuthHandlers(server: self) }
}

protocol OAuthPart: AuthPart {}

extension OAuthPart {
    var clients: OAuthClientHandlers { OAuthClientHandlers(server: server) }
    var consent: OAuthConsentHandlers { OAuthConsentHandlers(server: server) }
    var grants: OAuthGrantHandlers { OAuthGrantHandlers(server: server) }
    var requests: OAuthRequestHandlers { OAuthRequestHandlers(server: server) }
    var tokens: OAuthTokenHandlers { OAuthTokenHandlers(server: server) }

    /// - Throws: ``Refusal`` `feature_disabled` (404).
    var rules: OAuthRules {
        get throws {
            guard let rules = settings.oauth else {
                throw Refusal(.notFound, .featureDisabled, "OAuth server is disabled")
            }
            return rules
        }
    }

    /// For an ID of the user or of a client that registered itself.
    func newSecret() -> Secret { Secret(Base64URL.text(accounts.randomBytes(32))) }

    static func languages(_ request: Request) -> [String] {
        (request.headers[.acceptLanguage] ?? "").cut(to: 256).split(ascii: ",")
            .compactMap { $0.split(ascii: ";").first?.split(ascii: " ").first.map(String.init) }
    }
}

struct OAuthClientHandlers: OAuthPart { let server: AuthServer }

struct OAuthConsentHandlers: OAuthPart { let server: AuthServer }

struct OAuthGrantHandlers: OAuthPart { let server: AuthServer }

struct OAuthRequestHandlers: OAuthPart { let server: AuthServer }

struct OAuthTokenHandlers: OAuthPart { let server: AuthServer }
