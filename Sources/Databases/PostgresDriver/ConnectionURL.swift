import CPostgres
import Foundation
import SQLDatabase

/// `postgres://user:password@host:port/database?sslmode=verify-full`, with any libpq parameter ([Connection
/// URIs](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS)).
///
/// `sslmode` defaults to `PGSSLMODE`, then to `verify-full` for another machine and `prefer` for this one. Never prints
/// itself: it contains a password.
package struct ConnectionURL: Sendable, CustomStringConvertible, CustomReflectable {
    private let parameters: [(keyword: String, value: String)]
    private let environment: [String: String]

    package var description: String { "postgres://…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Loads libpq on first use.
    ///
    /// - Parameter environment: libpq's defaults for what the URL omits.
    /// - Throws: ``DatabaseFailure`` without libpq, or for an invalid URL. Omits libpq's reason, which may contain the
    ///   password.
    package init(
        _ text: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard Self.hasLibrary else { throw DatabaseFailure(.other, detail: Self.missingLibrary) }
        self.environment = environment
        var reason: UnsafeMutablePointer<CChar>?
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"),
            let options = PQconninfoParse(text, &reason)
        else {
            PQfreemem(reason)
            throw DatabaseFailure(.other, detail: "the connection URL cannot be read")
        }
        defer { PQconninfoFree(options) }
        var found: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                found.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        parameters = found
    }

    /// Loads libpq on first use.
    package static var hasLibrary: Bool { postgres_library_is_there() != 0 }

    package static let missingLibrary = "libpq.so.5 cannot be loaded: install PostgreSQL's client library (libpq5)"

    /// The URL's parameters override the driver's.
    func parameters(connectLimit: Duration) -> [(keyword: String, value: String)] {
        let given = Set(parameters.map(\.keyword))
        let seconds = max(2, Int(connectLimit.components.seconds))
        let own: [(String, String)] = [
            ("sslmode", sslMode), ("application_name", "gatehouse"),
            ("connect_timeout", "\(seconds)"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "5000"),
        ]
        return parameters.filter { $0.keyword != "client_encoding" }
            + own.filter { !given.contains($0.0) }.map { (keyword: $0.0, value: $0.1) }
            + [("client_encoding", "UTF8")]
    }

    /// From URL or environment, otherwise the host's default.
    package var sslMode: String {
        value("sslmode") ?? environment["PGSSLMODE"] ?? (isLocal ? "prefer" : "verify-full")
    }

    /// The URL's `options` override the driver's setting.
    func sets(_ setting: String) -> Bool { value("options")?.contains(setting) ?? false }

    private func value(_ keyword: String) -> String? { parameters.first { $0.keyword == keyword }?.value }

    private var isLocal: Bool {
        let given = value("hostaddr") ?? value("host") ?? environment["PGHOSTADDR"] ?? environment["PGHOST"]
        // A service file, which is read when connecting, may name any host.
        if given == nil, value("service") ?? environment["PGSERVICE"] != nil { return false }
        return (given ?? "").split(separator: ",").allSatisfy {
            $0.hasPrefix("/") || $0 == "localhost" || $0 == "::1" || $0.hasPrefix("127.")
        }
    }
}
