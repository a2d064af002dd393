package import GatehouseWire
import HTTPTypes
package import JSONWebTokens

package struct StandInWorld: Sendable {
    /// Posts JSON and returns the status. Throws without a response.
    package typealias Post = @Sendable (_ url: String, _ json: [UInt8]) async throws -> Int

    let now: @Sendable () -> Instant
    let randomBytes: @Sendable (Int) -> [UInt8]
    let makeKey: @Sendable () throws -> JSONWebKey
    let wait: @Sendable (Duration) async throws -> Void
    let post: Post

    /// - Parameters:
    ///   - randomBytes: A cryptographically secure source.
    ///   - makeKey: Generates a key for ID tokens, which both providers sign with RS256.
    ///   - wait: For the slow test account.
    ///   - post: Sends notifications.
    package init(
        now: @escaping @Sendable () -> Instant, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        makeKey: @escaping @Sendable () throws -> JSONWebKey = { try JSONWebKey.newRS256() },
        wait: @escaping @Sendable (Duration) async throws -> Void, post: @escaping Post
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.makeKey = makeKey
        self.wait = wait
        self.post = post
    }
}

extension StandInWorld {
    func undergo(_ person: Person?, slowness: Duration) async throws {
        switch person?.conduct {
        case .takesTime: try await wait(slowness)
        case .failsAtToken:
            throw OAuthRefusal(.serviceUnavailable, "server_error", "This person makes the token endpoint fail.")
        default: break
        }
    }

    /// Differs for the test account that simulates a mismatch.
    func nonce(of grant: Grant) -> String? {
        grant.visitor.person.conduct == .mixesUpNonce ? Base64URL.text(randomBytes(32)) : grant.nonce
    }
}
