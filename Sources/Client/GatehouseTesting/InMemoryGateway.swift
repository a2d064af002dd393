import Foundation
import Gatehouse
import GatehouseWire

extension InMemoryRoutes {
    /// Accepts access tokens without the auth server, unless a fault ended the session.
    mutating func gatewayReply(
        _ request: InMemoryRequest, _ call: Call?, _ fault: Fault?
    ) throws(AuthClientError) -> HTTPReply {
        guard fault != .accessTokenRefused, let caller = server.callers[request.bearer],
            server.endCodes[caller.id] == nil
        else {
            throw InMemoryGateway.tokenInvalid
        }
        let account = account(caller.user)
        switch call {
        case .fetchMe:
            return .account(
                SignedInAccount(
                    id: caller.user, email: account?.user.email,
                    profile: fault == .profileMissing ? nil : account?.profile))
        case .updateProfile:
            guard let account else { throw InMemoryGateway.tokenInvalid }
            var profile = account.profile ?? ProfileSummary(id: caller.user, createdAt: account.user.createdAt)
            try InMemoryGateway.change(&profile, ProfileChange(json: request.body))
            update(caller.user) { $0.profile = profile }
            return .account(SignedInAccount(id: caller.user, email: account.user.email, profile: profile))
        case .deleteAccount:
            server.remove(caller.user)
            return HTTPReply(status: 204)
        default: throw Fault.refused(404, AuthErrorCode(rawValue: "NOT_FOUND"))
        }
    }
}

extension ProfileChange {
    fileprivate init(json: AuthJSON) {
        self.init(data: json["data"]?.objectValue ?? [:], others: json.objectValue ?? [:])
        for name in ["first_name", "data"] { others.removeValue(forKey: name) }
        switch json["first_name"] {
        case nil: break
        case .string(let name): firstName = .set(name)
        default: firstName = .clear
        }
    }
}

enum InMemoryGateway {
    /// Bytes and nesting of the custom fields.
    static let (largestData, deepestData) = (16_384, 8)

    /// Accepts members of any server configuration.
    ///
    /// - Throws: `AuthClientError.refused` with status 400.
    static func change(_ profile: inout ProfileSummary, _ change: ProfileChange) throws(AuthClientError) {
        guard !change.isEmpty else { throw refusal("BAD_REQUEST", "There is nothing to change.") }
        var changed = profile
        switch change.firstName {
        case .keep: break
        case .clear: changed.firstName = nil
        case .set(let text):
            let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard name.unicodeScalars.count <= 50 else {
                throw refusal("BAD_REQUEST", "first_name must have at most 50 characters.", "/first_name")
            }
            changed.firstName = name.isEmpty ? nil : name
        }
        changed.data.apply(mergePatch: change.data)
        for data in [change.data, changed.data] { try check(.object(data)) }
        for (name, value) in change.others { changed.others[name] = value.isNull ? nil : value }
        profile = changed
    }

    private static func check(_ data: AuthJSON) throws(AuthClientError) {
        guard data.depth <= deepestData else {
            throw refusal("DATA_TOO_DEEP", "data must have at most \(deepestData) levels.", "/data")
        }
        guard data.text.utf8.count <= largestData else {
            throw refusal("DATA_TOO_LARGE", "data must have at most \(largestData) bytes.", "/data")
        }
    }

    static let tokenInvalid = InMemoryAuthService.Fault.refused(401, AuthErrorCode(rawValue: "TOKEN_INVALID"))

    private static func refusal(_ code: String, _ message: String, _ field: String? = nil) -> AuthClientError {
        .refused(AuthRefusal(status: 400, code: AuthErrorCode(rawValue: code), message: message, field: field))
    }
}
