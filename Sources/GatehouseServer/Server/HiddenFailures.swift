import GatehouseWire
package import IdentityProviders
import Synchronization

/// Tells what nobody saw because older keys, or an older discovery document, served: once for each change, so that a
/// provider that is down for a day is not told of a thousand times.
package final class HiddenFailures: Sendable {
    private let find: @Sendable () async -> [String: [ProviderFailure]]
    private let tell: @Sendable (_ provider: String, _ failures: [ProviderFailure]) -> Void
    private let told = Mutex<[String: [ProviderFailure]]>([:])

    /// - Parameters:
    ///   - find: What there is now, by provider.
    ///   - tell: Called when a provider's failures are others than before. None are left: it is well again.
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
