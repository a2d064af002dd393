package import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

package enum AccountDeletion: Sendable {
    case deleted, alreadyGone
    /// The session has ended or the user is banned. Nothing changed.
    case refused
    /// The user must sign in again first. Nothing changed.
    case stale
    /// The session lacks the user's second factor. Nothing changed.
    case tooLow
    /// Part of the account may be deleted. A retry continues.
    case failed(any Error)
}

/// The gateway: token holders' profiles, and the configured teams and callback.
package struct ProfileRoutes: Sendable {
    /// `refusesRevoked` is false for routes that check account and session themselves.
    package typealias Authenticate =
        @Sendable (_ token: String, _ refusesRevoked: Bool) async throws(BearerRefusal) -> Bearer
    /// Throws ``UnknownAccount`` if the caller may no longer change the profile, or ``BearerRefusal`` if that is
    /// unknown.
    package typealias ChangeProfile =
        @Sendable (Bearer, ProfileChanges, _ now: Instant) async throws -> ProfileRecord

    /// By client address.
    package static let limits = [
        RateLimit("profile_write", 60, per: .seconds(60), burst: 60),
        RateLimit("events", 120, per: .seconds(60), burst: 120),
    ]

    private let profiles: Profiles
    private let teams: TeamCatalogue?
    private let summaryFields: [String]
    private let wholeFields: [String]
    private let authenticate: Authenticate
    private let changeProfile: ChangeProfile
    private let deleteAccount: @Sendable (Bearer) async throws -> AccountDeletion
    private let appScheme: AppScheme?
    private let clients: ClientRights?
    private let events: EventRoute?
    private let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - fields: Without teams there is no `/v1/teams`.
    ///   - appScheme: nil disables the callback route.
    ///   - clients: nil refuses the OAuth server's clients.
    package init(
        profiles: Profiles, fields: ConfiguredFields, authenticate: @escaping Authenticate,
        changeProfile: @escaping ChangeProfile,
        deleteAccount: @escaping @Sendable (Bearer) async throws -> AccountDeletion, appScheme: AppScheme?,
        clients: ClientRights? = nil, events: EventRoute? = nil, now: @escaping @Sendable () -> Instant
    ) {
        self.profiles = profiles
        teams = fields.teams
        summaryFields = fields.existing(ProfileChanges.summaryFields)
        wholeFields = fields.existing(ProfileChanges.wholeFields)
        self.authenticate = authenticate
        self.changeProfile = changeProfile
        self.deleteAccount = deleteAccount
        self.appScheme = appScheme
        self.clients = clients
        self.events = events
        self.now = now
    }

    /// For both prefixes.
    package func tables(runtime: ServerRuntime, crossOrigin: CrossOriginPolicy = CrossOriginPolicy()) -> [RouteTable] {
        let write = "profile_write"
        var short = [
            Route(.get, "/auth/me", readMe),
            Route(.patch, "/auth/me", limitedBy: write, timeLimit: runtime.requestTimeLimit, changeMe),
            Route(.delete, "/auth/me", limitedBy: write, timeLimit: runtime.requestTimeLimit, deleteMe),
        ]
        if let teams { short.append(Route(.get, "/teams") { request, _ in try Self.list(teams, request) }) }
        if let events {
            short.append(
                Route(.post, "/events", limitedBy: "events", timeLimit: runtime.requestTimeLimit, events.count))
        }
        return [
            table("/v1", runtime, crossOrigin, short),
            table(
                "/api/v1", runtime, crossOrigin,
                [
                    Route(.get, "/profile", readProfile),
                    Route(.patch, "/profile", limitedBy: write, timeLimit: runtime.requestTimeLimit, changeWhole),
                    Route(.get, "/auth/callback", forwardCallback),
                ]),
        ]
    }

    private func table(
        _ prefix: String, _ runtime: ServerRuntime, _ crossOrigin: CrossOriginPolicy, _ routes: [Route]
    ) -> RouteTable {
        // Responses contain personal data.
        let group = RouteGroup(prefixes: [prefix], format: .profile, crossOrigin: crossOrigin, cacheControl: "no-store")
        return RouteTable(group: group, runtime: runtime, routes)
    }
}

extension ProfileRoutes {
    private func readMe(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bearer = try await bearer(request, for: .read)
        return Self.me(bearer, try await profiles.profile(of: bearer.userID))
    }

    private func changeMe(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bearer = try await bearer(request, for: .write)
        return Self.me(bearer, try await change(request, context, bearer, summaryFields))
    }

    private func deleteMe(_ request: Request, _ context: ServerContext) async throws -> Response {
        // A client that lost the response retries with a deleted account's token.
        var bearer = try await bearer(request, for: .reserved, refusesRevoked: false)
        bearer.requestID = context.requestID
        guard !bearer.isChild else {
            throw Refusal(
                .forbidden, RefusalCode("CHILD_SESSION"), "Delete the account in the app that opened this session.")
        }
        switch try await deleteAccount(bearer) {
        case .deleted, .alreadyGone: return Answer.empty()
        case .refused: throw BearerRefusal.invalid.refusal()
        case .stale:
            throw Refusal(.forbidden, RefusalCode("FRESH_SIGN_IN_REQUIRED"), "Sign in again, then delete the account.")
        case .tooLow:
            throw Refusal(
                .forbidden, RefusalCode("INSUFFICIENT_AAL"), "Confirm your second factor, then delete the account.")
        case .failed(let cause):
            throw Refusal(
                .internalServerError, RefusalCode("INTERNAL_ERROR"),
                "The account could not be deleted completely. Please repeat the request.", cause: cause)
        }
    }

    private func readProfile(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bearer = try await bearer(request, for: .reserved)
        guard let profile = try await profiles.profile(of: bearer.userID) else {
            throw Refusal(.notFound, .notFound, "There is no profile yet.")
        }
        return Answer.json { profile.writeWhole(to: &$0) }
    }

    private func changeWhole(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bearer = try await bearer(request, for: .reserved)
        let profile = try await change(request, context, bearer, wholeFields)
        return Answer.json { profile.writeWhole(to: &$0) }
    }

    private static func list(_ teams: TeamCatalogue, _ request: Request) throws -> Response {
        let league = Query(request)["league"]
        guard let response = teams.response(league: league) else {
            throw Refusal(.badRequest, .validationFailed, "league must be one of the listed teams' leagues.")
        }
        return response
    }

    private func forwardCallback(_ request: Request, _ context: ServerContext) throws -> Response {
        guard let appScheme else { throw Refusal.unknownAddress }
        return Answer.redirect(to: appScheme.callback(for: request.head.path ?? ""))
    }
}

extension ProfileRoutes {
    private func bearer(
        _ request: Request, for action: ProfileAction, refusesRevoked: Bool = true
    ) async throws -> Bearer {
        let metadata = action == .reserved ? nil : clients?.metadata
        let bearer: Bearer
        do throws(BearerRefusal) {
            guard let token = request.headers.bearerToken else {
                throw request.headers[.authorization] == nil ? .noToken : .invalid
            }
            bearer = try await authenticate(token, refusesRevoked)
            if bearer.clientScopes != nil, clients == nil || action == .reserved { throw .invalid }
        } catch {
            throw error.refusal(metadata: metadata)
        }
        guard let scopes = bearer.clientScopes, let clients else { return bearer }
        guard action == .read ? clients.mayRead(scopes) : clients.mayWrite(scopes) else {
            throw BearerRefusal.insufficientScope(clients.scope(toWrite: action == .write), metadata: metadata)
        }
        return bearer
    }

    private func change(
        _ request: Request, _ context: ServerContext, _ bearer: Bearer, _ allowed: [String]
    ) async throws -> ProfileRecord {
        let members = try await request.jsonMembers(context)
        do {
            return try await changeProfile(bearer, try ProfileChanges(members, allowed: allowed), now())
        } catch let invalid as InvalidProfileChange {
            var refusal = Refusal(.badRequest, invalid.code, invalid.message)
            refusal.field = invalid.field
            throw refusal
        } catch is UnknownAccount {
            // The account or session ended before the token expired.
            throw BearerRefusal.invalid.refusal()
        } catch let refused as BearerRefusal {
            throw refused.refusal()
        }
    }

    private static func me(_ bearer: Bearer, _ profile: ProfileRecord?) -> Response {
        Answer.json(capacity: 512) {
            $0.signedInAccount(id: bearer.userID.text, email: bearer.email, profile: profile)
        }
    }
}
