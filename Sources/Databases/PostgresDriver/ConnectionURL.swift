import CPostgres
import Foundation
import SQLDatabase

/// The URL of a server: `postgres://user:password@host:port/database?sslmode=verify-full`, with any parameter of libpq
/// ([Connection URIs](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS)).
///
/// Without `sslmode` and `PGSSLMODE`, the default is `verify-full` for another machine and `prefer` for this one. Never
/// prints itself, because it contains a password.
package struct ConnectionURL: Sendable, CustomStringConvertible, CustomReflectable {
    private let parameters: [(keyword: String, value: String)]
    private let environment: [String: String]

    package var description: String { "postgres://…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// - Parameter environment: Supplies libpq's defaults for what the URL omits.
    /// Loads libpq, if nothing has used it yet.
    ///
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

    /// Whether libpq is on this system. Loads it, if nothing has used it yet.
    package static var hasLibrary: Bool { postgres_library_is_there() != 0 }

    /// What to do without it.
    package static let missingLibrary = "libpq.so.5 cannot be loaded: install PostgreSQL's client library (libpq5)"

    /// The parameters for libpq. Those of the URL override the driver's own.
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

    /// The mode in the URL or the environment, or the default for the server's host.
    package var sslMode: String {
        value("sslmode") ?? environment["PGSSLMODE"] ?? (isLocal ? "prefer" : "verify-full")
    }

    /// Whether its `options` contain a session setting, which overrides the driver's own.
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
