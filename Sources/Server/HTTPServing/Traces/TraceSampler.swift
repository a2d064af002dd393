package import GatehouseWire

/// Decides which traces are recorded.
package struct TraceSampler: Sendable {
    /// 0 to 1.
    private let ratio: Double
    /// `parentbased_…`: a trusted caller's flag decides for its requests.
    private let followsCallers: Bool
    /// Anyone else's flag and `tracestate` are ignored, or a stranger could record, hide or keep any number of traces.
    private let callers: [IPNetwork]

    package init(ratio: Double, followsCallers: Bool, callers: [IPNetwork]) {
        (self.ratio, self.followsCallers, self.callers) = (ratio, followsCallers, callers)
    }

    /// - Parameter number: 64 even bits.
    func samples(_ number: UInt64) -> Bool { Double(number >> 11) < ratio * 0x1p53 }

    /// - Parameters:
    ///   - peer: The connection's other end.
    ///   - random: 64 unpredictable bits: a stranger chooses the trace's ID.
    func decision(on caller: TraceContext, peer: String?, random: UInt64) -> (isSampled: Bool, isTrusted: Bool) {
        guard !callers.isEmpty, let address = peer.flatMap({ IPAddress($0) }),
            callers.contains(where: { $0.contains(address) })
        else { return (samples(random), false) }
        return (followsCallers ? caller.isSampled : samples(caller.trace.low), true)
    }
}
