/// Queries that were slow twice within ``pause`` run on the pool for as long. One slow run is no sign: after a database
/// restart, even frequent queries first read from disk.
struct SlowStatements {
    private var until: [String: Duration] = [:]
    private var slowAt: [String: Duration] = [:]

    /// Well above a fast query's time on a busy machine.
    static let threshold: Duration = .milliseconds(100)
    static let pause: Duration = .seconds(60)
    private static let limit = 500

    func contains(_ text: String, at now: Duration) -> Bool { until[text].map { now < $0 } ?? false }

    mutating func add(_ text: String, at now: Duration) {
        guard let last = slowAt[text], now < last + Self.pause else {
            if slowAt.count >= Self.limit { slowAt = [:] }
            slowAt[text] = now
            return
        }
        if until.count >= Self.limit { until = [:] }
        until[text] = now + Self.pause
    }
}
