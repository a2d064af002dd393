import CPostgres
import Foundation
import SQLDatabase

/// Where the server is and how it is spoken to: `postgres://user:password@host:port/database?sslmode=verify-full`,
/// with every parameter that libpq knows.
///
/// Without `sslmode` and `PGSSLMODE`, a server on another machine has to prove who it is (`verify-full`); one on this
/// machine need not. It never prints itself: it holds a password.
package struct ConnectionURL: Sendable, CustomStringConvertible, CustomReflectable {
    private let parameters: [(keyword: String, value: String)]
    private let environment: [String: String]

    package var description: String { "postgres://…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// - Throws: ``DatabaseFailure`` when it is not such a URL. The reason is not repeated: it may hold the password.
    ///
    /// - Parameter environment: libpq takes from it what the URL leaves out.
    package init(
        _ text: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.environment = environment
        var reason: UnsafeMutablePointer<CChar>?
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"),
            let options = PQconninfoParse(text, &reason)
        else {
            PQfreemem(reason)
            throw DatabaseFailure(code: SQLState.noConnection, detail: "the connection URL cannot be read")
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

    /// What libpq is given; parameters of the URL win over this driver's own.
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

    /// Of the URL, of the environment, or by where the server is.
    package var sslMode: String {
        value("sslmode") ?? environment["PGSSLMODE"] ?? (isLocal ? "prefer" : "verify-full")
    }

    /// Whether its `options` have a setting of the session, which counts more than this driver's own.
    func sets(_ setting: String) -> Bool { value("options")?.contains(setting) ?? false }

    private func value(_ keyword: String) -> String? { parameters.first { $0.keyword == keyword }?.value }

    private var isLocal: Bool {
        let given = value("hostaddr") ?? value("host") ?? environment["PGHOSTADDR"] ?? environment["PGHOST"]
        // A service file may name any host: it is read when the connection is made.
        if given == nil, value("service") ?? environment["PGSERVICE"] != nil { return false }
        return (given ?? "").split(separator: ",").allSatisfy {
            $0.hasPrefix("/") || $0 == "localhost" || $0 == "::1" || $0.hasPrefix("127.")
        }
    }
}
