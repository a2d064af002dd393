import GatehouseWire

/// A line of standard error, if it is a terminal.
struct ProgressLine {
    /// Between updates.
    private static let interval: Duration = .milliseconds(100)

    let noun: String
    private let start = System.uptime()
    private var drawnAt: Duration?
    private let isShown = System.hasTerminal

    init(noun: String) { self.noun = noun }

    mutating func show(fraction: Double?, count: Int) {
        let now = System.uptime()
        guard isShown, drawnAt.map({ now - $0 >= Self.interval }) ?? true else { return }
        drawnAt = now
        erase()
        Output.part(Progress(fraction: fraction, count: count, elapsed: now - start).text(noun))
    }

    /// Call before other output.
    func erase() { if isShown { Output.part("\r\u{1B}[K") } }
}
