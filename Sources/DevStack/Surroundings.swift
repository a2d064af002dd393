package import GatehouseWire
import HTTPTypes
package import JSONWebTokens

/// Everything that stand-ins get from outside: time, chance, keys, patience, the way out.
package struct Surroundings: Sendable {
    /// Posts JSON and gives back the status of the answer. It throws when there was no answer.
    package typealias Post = @Sendable (_ url: String, _ json: [UInt8]) async throws -> Int

    let now: @Sendable () -> Instant
    let randomBytes: @Sendable (Int) -> [UInt8]
    let makeKey: @Sendable () throws -> JSONWebKey
    let wait: @Sendable (Duration) async throws -> Void
    let post: Post

    /// - Parameters:
    ///   - randomBytes: A cryptographic source.
    ///   - makeKey: For ID tokens. Both companies sign with RS256.
    ///   - wait: For the person who is slow.
    ///   - post: For notifications.
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

extension Surroundings {
    /// What this person makes a token endpoint do before it looks at anything else.
    ///
    /// - Parameter slowness: How long the slow one takes.
    func undergo(_ person: Person?, slowness: Duration) async throws {
        switch person?.conduct {
        case .takesTime: try await wait(slowness)
        case .failsAtToken:
            throw OAuthRefusal(.serviceUnavailable, "server_error", "This person makes the token endpoint fail.")
        default: break
        }
    }

    /// What stands in the ID token: what was sent, or for the one who mixes it up what nobody sent.
    func nonce(of grant: Grant) -> String? {
        grant.visitor.person.conduct == .mixesUpNonce ? Base64URL.text(randomBytes(32)) : grant.nonce
    }
}
