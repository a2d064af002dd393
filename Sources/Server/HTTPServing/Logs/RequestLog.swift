package import GatehouseWire
import Synchronization

/// For operators: no address, query or header.
package struct AnsweredRequest: Sendable {
    /// From 1, since the process started.
    package let number: Int64
    package let at: Instant
    package let method: String
    /// The pattern; `none` without a route.
    package let route: String
    package let status: Int
    package let took: Duration
    package let requestID: String
    /// nil if its trace is not recorded.
    package let traceID: String?
    package let code: String?

    /// For a terminal: `GET /auth/v1/user 200 1.2 ms` and a refusal's code.
    package var line: String {
        let tenths = (took.milliseconds * 10).rounded() / 10
        let line = "\(method) \(route) \(status) \(tenths) ms"
        return code.map { "\(line) \($0)" } ?? line
    }
}

extension Duration {
    /// With two decimals.
    package var milliseconds: Double { (Double(microseconds) / 10).rounded() / 100 }
}

/// The newest requests of this process, without ``Route/unlogged`` routes.
package final class RequestLog: Sendable {
    package static let capacity = 200

    private struct State {
        var count: Int64 = 0
        /// Request n is at (n - 1) modulo ``capacity``.
        var newest: [AnsweredRequest] = []
    }

    private let report: (@Sendable (AnsweredRequest) -> Void)?
    private let state = Mutex(State())

    /// - Parameter report: Called on any thread; must not block.
    package init(report: (@Sendable (AnsweredRequest) -> Void)? = nil) { self.report = report }

    func add(
        _ method: String, _ route: String, status: Int, took: Duration, requestID: String, traceID: String? = nil,
        code: RefusalCode?, at now: Instant
    ) {
        let code = code.map { $0.rawValue.cut(to: 64) }
        let added = state.withLock { state in
            let request = AnsweredRequest(
                number: state.count + 1, at: now, method: method, route: route, status: status, took: took,
                requestID: requestID, traceID: traceID, code: code)
            if state.newest.count < Self.capacity {
                state.newest.append(request)
            } else {
                state.newest[Int(state.count % Int64(Self.capacity))] = request
            }
            state.count += 1
            return request
        }
        report?(added)
    }

    /// Oldest first, at most ``capacity``. A number not reached yet is an earlier process's and means 0.
    package func requests(after number: Int64) -> [AnsweredRequest] {
        state.withLock { state in
            let start = (0...state.count).contains(number) ? number : 0
            return state.newest.filter { $0.number > start }.sorted { $0.number < $1.number }
        }
    }
}
