import AccountDomain
import GatehouseWire
import HTTPServing
import IdentityProviders
import JSONWebTokens
import ProfileGateway
import SQLDatabase

/// Hosted Supabase, or another Gatehouse.
struct RemoteIssuer: Sendable {
    let settings: RemoteIssuerSettings
    let profiles: Profiles
    private let policy: SessionPolicy
    private let now: @Sendable () -> Instant
    private let http: OutgoingHTTP
    private let tracer: Tracer?

    /// - Parameters:
    ///   - policy: Only the maximum age of a recent sign-in is used.
    ///   - tracer: nil without traces.
    init(
        _ settings: RemoteIssuerSettings, _ profiles: Profiles, _ policy: SessionPolicy, _ tracer: Tracer?,
        _ world: World
    ) {
        self.tracer = tracer
        self.settings = settings
        self.profiles = profiles
        self.policy = policy
        now = world.now
        http = world.http
    }

    @Sendable func fetchKeys() async throws -> [UInt8] { try await settings.fetchKeys(http) }

    /// Profile first: an account without a profile can repeat the request, but a profile without an account would stay
    /// forever.
    ///
    /// Deletion is final, so the issuer first confirms an active session and no ban. A user with a second factor needs
    /// a token from after it; a fresh sign-in is judged by the token's last proof, which a refresh keeps.
    func delete(_ bearer: Bearer) async throws -> AccountDeletion {
        let id = bearer.userID.text
        let key = settings.secretKey.reveal()
        do {
            switch try await standing(of: bearer) {
            case .good(let user):
                // The issuer deletes for the secret key, so check level and proof here.
                if user.hasSecondFactor, bearer.level.flatMap(AssuranceLevel.init(text:)) != .aal2 { return .tooLow }
                if !user.isAnonymous, !policy.isFresh(bearer.provenAt, at: now()) { return .stale }
            // Already deleted; an interrupted attempt may have left the profile.
            case .gone: break
            case .refused: return .refused
            }
        } catch {
            return .failed(error)
        }
        try await profiles.delete(bearer.userID, at: now())
        do {
            let answer = try await call(
                "DELETE", "/admin/users/\(id)", ["apikey": key, "Authorization": "Bearer \(key)"])
            switch answer.status {
            case 200..<300: return .deleted
            case 404: return .alreadyGone
            default: return .failed(OutgoingFailure.status(answer.status))
            }
        } catch {
            return .failed(error)
        }
    }

    /// Creates a missing profile only if the issuer confirms the account, because tokens outlive it, and not shortly
    /// after a deletion here.
    ///
    /// - Throws: ``UnknownAccount``; ``BearerRefusal/keysUnavailable(_:)`` if the issuer does not respond; or database
    ///   errors.
    func change(_ bearer: Bearer, _ changes: ProfileChanges, at now: Instant) async throws -> ProfileRecord {
        if try await profiles.profile(of: bearer.userID) == nil {
            let standing: Standing
            do { standing = try await self.standing(of: bearer) } catch { throw BearerRefusal.keysUnavailable(error) }
            guard case .good = standing else { throw UnknownAccount() }
        }
        let id = bearer.userID
        return try await profiles.change(id, changes, at: now) { db in
            if try Profiles.isBeingDeleted(id, at: now, in: db) { throw BearerRefusal.keysUnavailable(BeingDeleted()) }
            return true
        }
    }

    private enum Standing {
        case good(KnownUser)
        case gone, refused
    }

    private struct KnownUser {
        let hasSecondFactor: Bool
        let isAnonymous: Bool

        init(_ body: [UInt8]) throws {
            let user = try JSONReader.read(body)
            hasSecondFactor = user["factors"]?.arrayValue?.contains { $0["status"]?.stringValue == "verified" } ?? false
            isAnonymous = user["is_anonymous"]?.boolValue ?? false
        }
    }

    /// - Throws: ``OutgoingFailure`` for any other response.
    private func standing(of bearer: Bearer) async throws -> Standing {
        let answer = try await call(
            "GET", "/user",
            ["apikey": settings.secretKey.reveal(), "Authorization": "Bearer \(bearer.tokenText)"])
        switch answer.status {
        case 200..<300: return .good(try KnownUser(answer.body))
        case 401, 403: return Self.code(in: answer.body) == "user_not_found" ? .gone : .refused
        default: throw OutgoingFailure.status(answer.status)
        }
    }

    /// Without `traceparent`: the issuer may be another company's.
    private func call(
        _ method: String, _ path: String, _ headers: [String: String]
    ) async throws -> OutgoingHTTP.Answer {
        let url = settings.issuer + path
        return try await tracer.inSpan("call issuer", .client, failure: OutgoingSpan.failure) { span in
            span?.note(method, ProviderURL(url))
            let answer = try await http.send(method, url, headers: headers)
            span?.note(status: answer.status)
            return answer
        }
    }

    /// The member depends on the request's API version.
    private static func code(in body: [UInt8]) -> String? {
        // Ignored: a body that is not JSON has no code.
        let members = (try? JSONReader.read(body))?.objectValue
        return members?["error_code"]?.stringValue ?? members?["code"]?.stringValue
    }
}

/// The profile was just deleted, and the account may follow.
private struct BeingDeleted: Error {}

extension RemoteIssuerSettings {
    /// - Throws: ``OutgoingFailure``, ``TimeIsOver``, or `CancellationError`.
    package func fetchKeys(_ http: OutgoingHTTP) async throws -> [UInt8] {
        let answer = try await http.send("GET", keysURL, headers: ["Accept": "application/json"])
        guard answer.status == 200 else { throw OutgoingFailure.status(answer.status) }
        return answer.body
    }
}
