import Foundation
import GatehouseWire
import HTTPServing

/// A client's request for access, as the Auth API describes it to its user.
struct AccessRequest {
    let id: String
    let client: ClientName
    let email: String?
    let scopes: [ScopeName]
    let resources: [String]
    let redirectURI: String
    let isOfDevice: Bool
    let agent: String?
    let address: String?
    /// OpenID Connect's `prompt=none`.
    let forbidsPages: Bool
    let needsSignIn: Bool
    /// If the client expects another account: its email address or phone number, or empty.
    let expectedAccount: String?
    let needsOtherAccount: Bool

    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "authorization")
        id = try members.required("authorization_id")
        client = ClientName(json["client"])
        email = json["user"]?["email"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        scopes = ScopeName.list(json["scopes"], or: json["scope"])
        resources = (json["resources"]?.arrayValue ?? []).prefix(8).compactMap(\.stringValue)
        redirectURI = members.text("redirect_uri") ?? ""
        isOfDevice = members.text("flow") == "device"
        (agent, address) = (json["requester"]?["user_agent"]?.stringValue, json["requester"]?["ip"]?.stringValue)
        forbidsPages = members.text("prompt") == "none"
        needsSignIn = members.bool("needs_sign_in")
        (expectedAccount, needsOtherAccount) = (
            json["expected_account"]?.stringValue, members.bool("needs_other_account")
        )
    }
}

/// A client's name and site are its own words unless verified.
struct ClientName {
    let id: String
    let name: String
    let host: String?
    let isVerified: Bool
    /// The host has published the client's metadata.
    let isOfHost: Bool

    init(_ json: AuthJSON?) {
        id = json?["id"]?.stringValue ?? ""
        name = json?["name"]?.stringValue ?? ""
        // Supabase Auth has no `host`.
        let url = json?["uri"]?.stringValue.flatMap { URLParts($0) }
        host = json?["host"]?.stringValue ?? url.flatMap { $0.isWeb ? $0.host : nil }
        isVerified = json?["verified"]?.boolValue ?? false
        isOfHost = json?["registration_type"]?.stringValue == "document"
    }
}

struct ScopeName {
    let name: String
    /// The operator's words for an own scope.
    let text: String?

    static func list(_ details: AuthJSON?, or names: AuthJSON?) -> [ScopeName] {
        if let details = details?.arrayValue {
            return details.prefix(32).compactMap { scope in
                scope["name"]?.stringValue.map { ScopeName(name: $0, text: scope["description"]?.stringValue) }
            }
        }
        let text = (names?.stringValue ?? "").split(ascii: " ").map(String.init)
        let all = names?.arrayValue?.compactMap(\.stringValue) ?? text
        return all.prefix(32).map { ScopeName(name: $0, text: nil) }
    }
}

extension Visit {
    /// Untrusted text in a row or list.
    func alone(_ text: String) -> String { text.shown(in: language) }

    func shownName(_ client: ClientName) -> String {
        let name = client.name.shown(in: language)
        return name.isEmpty ? alone(client.id) : name
    }

    /// nil without a host.
    func hostSentence(_ client: ClientName) -> String? {
        client.host.map { host in
            client.isVerified || client.isOfHost
                ? say("Website: %@", host) : say("Says its website is %@", host)
        }
    }

    func sentence(_ scope: ScopeName) -> String {
        switch scope.name {
        case "openid": say("Know that it's you")
        case "profile": say("See your name and picture")
        case "email": say("See your email address")
        case "phone": say("See your phone number")
        case "offline_access": say("Stay connected while you're away")
        default: alone(scope.text ?? scope.name)
        }
    }

    func sentences(_ scopes: [ScopeName], _ resources: [String]) -> [String] {
        scopes.map(sentence) + resources.map { say("Use %@ for you", $0) }
    }
}
