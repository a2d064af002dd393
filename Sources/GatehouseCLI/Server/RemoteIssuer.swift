import GatehouseWire
import JSONWebTokens
import ProfileGateway
import SQLDatabase

/// The auth server that a gateway stands in front of: hosted Supabase, or a Gatehouse elsewhere.
struct RemoteIssuer: Sendable {
    let settings: RemoteIssuerSettings
    let database: any Database
    private let http = OutgoingHTTP()

    init(_ settings: RemoteIssuerSettings, database: any Database) {
        self.settings = settings
        self.database = database
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
            let caller = try await http.send(
                "GET", "\(settings.issuer)/user",
                headers: ["apikey": key, "Authorization": "Bearer \(bearer.tokenText)"])
            switch caller.status {
            case 200..<300: break
            case 401, 403:
                // Gone already; the profile may be left of an attempt that ended half-way.
                guard Self.code(in: caller.body) == "user_not_found" else { return .refused }
            default: return .failed(OutgoingFailure.status(caller.status))
            }
        } catch {
            return .failed(error)
        }
        try await database.write { db in _ = try db.run("DELETE FROM profiles WHERE id = \(id)") }
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

    /// The code of a refusal; its place depends on the version of the protocol that is asked for.
    private static func code(in body: [UInt8]) -> String? {
        // What is no JSON has none.
        let members = (try? JSONReader.read(body))?.objectValue
        return members?["error_code"]?.stringValue ?? members?["code"]?.stringValue
    }
}

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
            ])
    ]
}
