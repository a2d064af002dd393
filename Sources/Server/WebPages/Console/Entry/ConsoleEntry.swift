package import GatehouseWire
import HTTPServing
import HTTPTypes
package import Hummingbird
import Synchronization

/// Opens the console of `gatehouse dev` without a password: single-use links, for callers on this machine only.
package final class ConsoleEntry: Sendable {
    private struct Waiting {
        /// The terminal's link, which lasts until it is used.
        var first: [UInt8]
        var others: [(key: [UInt8], end: Instant)] = []
    }

    /// The API key that the console signs in with.
    let secretKey: Secret
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let waiting: Mutex<Waiting>
    /// The terminal's link.
    package let firstPath: String

    private static let path = Site.console.prefix + "/enter"
    /// Browsers follow a redirect immediately.
    private static let lifetime = Duration.seconds(60)
    private static let most = 16

    package init(secretKey: Secret, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        (self.secretKey, self.randomBytes) = (secretKey, randomBytes)
        let first = randomBytes(16)
        waiting = Mutex(Waiting(first: first))
        firstPath = Self.path(first)
    }

    private static func path(_ key: [UInt8]) -> String { "\(path)?key=\(Base64URL.text(key))" }

    /// For a caller that ``isOnThisMachine(peer:_:)`` admits. Too many links invalidate the oldest.
    package func newPath(at now: Instant) -> String {
        let key = randomBytes(16)
        waiting.withLock { waiting in
            waiting.others.removeAll { $0.end <= now }
            if waiting.others.count == Self.most { waiting.others.removeFirst() }
            waiting.others.append((key, now + Self.lifetime))
        }
        return Self.path(key)
    }

    /// Marks an unused key as used.
    func take(_ text: String, at now: Instant) -> Bool {
        guard text.utf8.count <= 64, let brought = Base64URL.decode(text), brought.count == 16 else { return false }
        return waiting.withLock { waiting in
            if Self.isEqual(brought, waiting.first) {
                waiting.first = []
                return true
            }
            waiting.others.removeAll { $0.end <= now }
            guard let place = waiting.others.firstIndex(where: { Self.isEqual(brought, $0.key) }) else { return false }
            waiting.others.remove(at: place)
            return true
        }
    }

    private static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Used a loopback name: not a website with its own name for this machine (DNS rebinding), nor a proxy's client.
    package static func isOnThisMachine(peer: String?, _ request: Request) -> Bool {
        guard peer.flatMap({ IPAddress($0) })?.isLoopback == true,
            !ClientAddressRule(.peer).ignoresForwarding(peer: peer, request.headers),
            let host = request.head.authority.flatMap({ URLParts("http://\($0)/") })?.host
        else { return false }
        return URLParts.loopbackHosts.contains(host)
    }
}
