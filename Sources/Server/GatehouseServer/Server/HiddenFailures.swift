import GatehouseWire
package import IdentityProviders
import Synchronization

/// Reports provider failures that cached documents hide, once per change, so that an outage does not fill the log.
package final class HiddenFailures: Sendable {
    private let find: @Sendable () async -> [String: [ProviderFailure]]
    private let tell: @Sendable (_ provider: String, _ failures: [ProviderFailure]) -> Void
    private let told = Mutex<[String: [ProviderFailure]]>([:])

    /// - Parameter tell: Called on changes; an empty list means recovery.
    package init(
        find: @escaping @Sendable () async -> [String: [ProviderFailure]],
        tell: @escaping @Sendable (_ provider: String, _ failures: [ProviderFailure]) -> Void
    ) {
        self.find = find
        self.tell = tell
    }

    package func look() async {
        let found = await find()
        let before = told.withLock { told in
            defer { told = found }
            return told
        }
        for name in Set(found.keys).union(before.keys).sorted() {
            let failures = found[name, default: []]
            if failures != before[name, default: []] { tell(name, failures) }
        }
    }
}
