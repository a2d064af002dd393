import GatehouseWire
import JSONWebTokens
import ProfileGateway
import SQLDatabase

/// The auth server behind a standalone gateway: hosted Supabase, or another Gatehouse.
struct RemoteIssuer: Sendable {
    let settings: RemoteIssuerSettings
    let database: any Database
    let profiles: Profiles
    private let now: @Sendable () -> Instant
    private let http: OutgoingHTTP

    init(_ settings: RemoteIssuerSettings, database: any Database, _ world: World) {
        self.settings = settings
        self.database = database
        profiles = Profiles(database: database)
        now = world.now
        http = world.http
    }

    /// Fetches the JWK Set.
    func fetchKeys() async throws -> [UInt8] {
        let answer = try await http.send("GET", settings.keysURL, headers: ["Accept": "application/json"])
        guard answer.status == 200 else { throw OutgoingFailure.status(answer.status) }
        return answer.body
    }

    /// Deletes the profile here, then the account at the issuer.
    ///
    /// In this order because the owner of an account without a profile can repeat the request, even with a later token,
    /// whereas a profile without an account would stay forever. The issuer confirms beforehand that the session is
    /// active and the user not banned, because deletion is final.
    func delete(_ bearer: Bearer) async throws -> AccountDeletion {
        let id = bearer.userID.text
        let key = settings.secretKey.reveal()
        do {
            switch try await standing(of: bearer) {
            // Already deleted. The profile may be left over from an interrupted attempt.
            case .good, .gone: break
            case .refused: return .refused
            }
        } catch {
            return .failed(error)
        }
        let now = now()
        try await database.write { db in
            try db.run("DELETE FROM profiles WHERE id = \(id)")
            try db.run("DELETE FROM deleted_profiles WHERE deleted_at <= \(Self.settled(by: now))")
            try db.run(
                """
                INSERT INTO deleted_profiles (id, deleted_at) VALUES (\(id), \(SQLValue.instant(now.microseconds)))
                ON CONFLICT (id) DO UPDATE SET deleted_at = excluded.deleted_at
                """)
        }
        do {
            let answer = try await http.send(
                "DELETE", "\(settings.issuer)/admin/users/\(id)",
                headers: ["apikey": key, "Authorization": "Bearer \(key)"])
            switch answer.status {
            case 200..<300: return .deleted
            case 404: return .alreadyGone
            default: return .failed(OutgoingFailure.status(answer.status))
            }
        } catch {
            return .failed(error)
        }
    }

    /// Changes a profile. Creates a missing profile only if the issuer confirms that the account exists, because a
    /// token outlives its account, and not shortly after a deletion here, while the issuer may still be deleting the
    /// account.
    ///
    /// - Throws: ``UnknownAccount``; ``BearerRefusal/keysUnavailable(_:)`` if the issuer does not answer; or database
    ///   errors.
    func change(_ bearer: Bearer, _ changes: ProfileChanges, at now: Instant) async throws -> ProfileRecord {
        if try await profiles.profile(of: bearer.userID) == nil {
            let standing: Standing
            do { standing = try await self.standing(of: bearer) } catch { throw BearerRefusal.keysUnavailable(error) }
            guard standing == .good else { throw UnknownAccount() }
        }
        let id = bearer.userID.text
        let deletion: SQL =
            "SELECT 1 FROM deleted_profiles WHERE id = \(id) AND deleted_at > \(Self.settled(by: now))"
        return try await profiles.change(bearer.userID, changes, at: now) { db in
            let isSettled = try db.row(deletion) { _ in true } == nil
            guard isSettled else { throw BearerRefusal.keysUnavailable(BeingDeleted()) }
            return true
        }
    }

    /// The time before which a deletion is complete: by `now` the requests for earlier deletions have ended.
    private static func settled(by now: Instant) -> SQLValue { .instant((now - .seconds(60)).microseconds) }

    /// The issuer's answer about a token.
    private enum Standing { case good, gone, refused }

    /// - Throws: ``OutgoingFailure`` for any other answer.
    private func standing(of bearer: Bearer) async throws -> Standing {
        let answer = try await http.send(
            "GET", "\(settings.issuer)/user",
            headers: ["apikey": settings.secretKey.reveal(), "Authorization": "Bearer \(bearer.tokenText)"])
        switch answer.status {
        case 200..<300: return .good
        case 401, 403: return Self.code(in: answer.body) == "user_not_found" ? .gone : .refused
        default: throw OutgoingFailure.status(answer.status)
        }
    }

    /// The code of a refusal. Its member depends on the API version of the request.
    private static func code(in body: [UInt8]) -> String? {
        // Lost: why the body is not JSON. It then has no code.
        let members = (try? JSONReader.read(body))?.objectValue
        return members?["error_code"]?.stringValue ?? members?["code"]?.stringValue
    }
}

/// The profile was deleted a moment ago, and the account may follow.
private struct BeingDeleted: Error {}

extension RemoteIssuer {
    /// Profiles of another issuer's accounts. The number is outside of the accounts' series, so that neither program
    /// opens the other's database.
    static let migrations: [Migration] = [
        Migration(
            1_001, "profiles of another issuer's accounts",
            [
                """
                CREATE TABLE profiles (
                    id              \(.uuid) PRIMARY KEY,
                    first_name      \(.text) CHECK (length(first_name) BETWEEN 1 AND 50),
                    favorite_teams  \(.json) NOT NULL DEFAULT '[]',
                    name            \(.text) CHECK (length(name) BETWEEN 1 AND 100),
                    avatar_url      \(.text) CHECK (length(avatar_url) BETWEEN 1 AND 2048),
                    timezone        \(.text),
                    is_premium      \(.flag) NOT NULL DEFAULT 0 CHECK (is_premium IN (0, 1)),
                    created_at      \(.instant) NOT NULL,                      -- microseconds since 1970
                    updated_at      \(.instant) NOT NULL
                ) \(.table)
                """
            ]),
        Migration(
            1_002, "profiles that were just deleted",
            [
                """
                CREATE TABLE deleted_profiles (
                    id          \(.uuid) PRIMARY KEY,
                    deleted_at  \(.instant) NOT NULL
                ) \(.table)
                """,
                "CREATE INDEX deleted_profiles_by_time ON deleted_profiles (deleted_at)",
            ]),
    ]
}
