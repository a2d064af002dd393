import GatehouseWire
import JSONWebTokens
import ProfileGateway
import SQLDatabase

/// The auth server that a gateway stands in front of: hosted Supabase, or a Gatehouse elsewhere.
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

    /// The JWKS document.
    func fetchKeys() async throws -> [UInt8] {
        let answer = try await http.send("GET", settings.keysURL, headers: ["Accept": "application/json"])
        guard answer.status == 200 else { throw OutgoingFailure.status(answer.status) }
        return answer.body
    }

    /// Deletes the profile here and then the account there.
    ///
    /// In this order because an account without a profile can still ask again, also with tomorrow's token; a profile
    /// without an account would stay for ever. What cannot be taken back needs a session that goes on, of a person who
    /// is not banned: the issuer knows.
    func delete(_ bearer: Bearer) async throws -> AccountDeletion {
        let id = bearer.userID.text
        let key = settings.secretKey.reveal()
        do {
            switch try await standing(of: bearer) {
            // Gone already: the profile may be left of an attempt that ended half-way.
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

    /// Changes a profile. One that is not there is made when the issuer says that the account is: a token outlives its
    /// account. And not right after it was deleted here, while the account may be on its way out.
    ///
    /// - Throws: ``UnknownAccount``; ``BearerRefusal/keysUnavailable(_:)`` when nobody knows; what the database throws.
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

    /// What was deleted here before that is deleted at the issuer too by `now`, or never will be: both requests have
    /// long ended.
    private static func settled(by now: Instant) -> SQLValue { .instant((now - .seconds(60)).microseconds) }

    /// What the issuer says of a bearer.
    private enum Standing { case good, gone, refused }

    /// - Throws: ``OutgoingFailure`` when it says nothing of use.
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

    /// The code of a refusal; its place depends on the version of the protocol that is asked for.
    private static func code(in body: [UInt8]) -> String? {
        // What is no JSON has none.
        let members = (try? JSONReader.read(body))?.objectValue
        return members?["error_code"]?.stringValue ?? members?["code"]?.stringValue
    }
}

/// A profile was deleted a moment ago, and its account may follow.
private struct BeingDeleted: Error {}

extension RemoteIssuer {
    /// Profiles of accounts that are kept elsewhere. The number is out of the accounts' series, so that neither
    /// program takes the other's database for its own.
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
