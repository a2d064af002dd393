import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase

// Many rows per statement. Omitted columns have their default.
extension Connection {
    func insert(_ people: [SeededPerson]) throws {
        try run(.rows(Self.users, people.map { $0.account.user.values }))
        try run(.rows(Self.identities, people.flatMap(\.account.identities).map(\.values)))
        try run(.rows(Self.sessions, people.flatMap(\.sessions).map(\.values)))
        try run(.rows(Self.entries, people.flatMap(\.entries).map(\.values)))
    }

    private static var users: StaticString {
        """
        INSERT INTO users (
            id, aud, role, email, password_hash, app_metadata, user_metadata, created_at, updated_at,
            email_confirmed_at, last_sign_in_at, email_proven_at)
        VALUES
        """
    }

    private static var identities: StaticString {
        """
        INSERT INTO identities (
            id, user_id, provider, provider_id, identity_data, email, last_sign_in_at, created_at, updated_at,
            email_verified)
        VALUES
        """
    }

    private static var sessions: StaticString {
        """
        INSERT INTO sessions (
            id, user_id, refresh_token_counter, aal, amr, user_agent, ip, created_at, refreshed_at, identity_id)
        VALUES
        """
    }

    private static var entries: StaticString {
        "INSERT INTO audit_log (id, action, log_type, actor_id, actor_name, traits, created_at) VALUES"
    }
}

extension SQL {
    /// `head` followed by rows, each in parentheses.
    static func rows(_ head: StaticString, _ rows: [[SQLValue]]) -> SQL {
        let count = rows.reduce(0) { $0 + $1.count }
        var parts = StringInterpolation(literalCapacity: 200 + count * 3, interpolationCount: count)
        parts.appendInterpolation(columns: head)
        for (index, row) in rows.enumerated() {
            parts.appendLiteral(index == 0 ? " (" : ", (")
            for (column, value) in row.enumerated() {
                if column > 0 { parts.appendLiteral(", ") }
                parts.appendInterpolation(value)
            }
            parts.appendLiteral(")")
        }
        return SQL(stringInterpolation: parts)
    }

    /// `head` followed by texts in parentheses.
    static func list(_ head: StaticString, _ texts: [String]) -> SQL { rows(head, [texts.map(SQLValue.text)]) }
}

extension User {
    fileprivate var values: [SQLValue] {
        [
            .text(id.text), .text(audience), .text(role), .of(email), .of(passwordHash?.reveal()), .text(appMetadata),
            .text(userMetadata), .of(times.createdAt), .of(times.updatedAt), .of(times.emailConfirmedAt),
            .of(times.lastSignInAt), .of(times.emailProvenAt),
        ]
    }
}

extension Identity {
    fileprivate var values: [SQLValue] {
        [
            .text(id.text), .text(user.text), .text(provider), .text(providerID), .text(data), .of(email),
            .of(lastSignInAt), .of(createdAt), .of(updatedAt), .int(isEmailVerified ? 1 : 0),
        ]
    }
}

extension SeededSession {
    fileprivate var values: [SQLValue] {
        [
            .text(session.id.text), .text(session.user.text), .int(session.counter),
            .text(session.assuranceLevel.rawValue),
            .text(session.authenticationMethods), .of(device.userAgent), .of(device.address), .of(session.createdAt),
            .of(session.refreshedAt), .of(identity?.text),
        ]
    }
}

extension SeededEntry {
    fileprivate var values: [SQLValue] {
        [
            .text(id.text), .text(entry.action.rawValue), .text(entry.logType), .of(entry.actor?.text),
            .text(entry.actorName), .text(AuthJSON.object(entry.traits).text), .of(at),
        ]
    }
}
