import Crypto
import Foundation

/// Writes the proofs that requests carry (RFC 9449 §4.2), by the server's clock as far as its responses show it.
struct KeyProofs: Sendable {
    private struct State: Sendable {
        /// The server's clock minus the device's; nil if unknown.
        var serverAhead: TimeInterval?
        /// `iat` of the newest proof.
        var newest: Int64 = 0
        var nonce: (text: String, until: Duration)?
        var areRefused = false
        /// The session in use, if it has a key. A lost response may have bound it.
        var current: (accessToken: String, key: StoredKey)?
        /// Of the newest sessions: an app can return to one that another has replaced.
        var recent: [(refreshToken: String, key: StoredKey)] = []
    }

    private static let recentCount = 8

    /// The server accepts a nonce for at least four minutes.
    private static let nonceLifetime: Duration = .seconds(180)
    /// The server accepts proofs from up to 30 seconds ahead of its clock.
    private static let leeway: Int64 = 30
    private static let step: Int64 = 20
    /// In seconds. A slower response says too little about the server's clock.
    private static let longestTrip: TimeInterval = 10

    private let clock: ClientClock
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let state = Locked(State())

    init(clock: ClientClock, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        (self.clock, self.randomBytes) = (clock, randomBytes)
    }

    /// True after the server rejected proofs because it uses a different URL; sign-ins then omit them.
    var areRefused: Bool { state.withLock { $0.areRefused } }

    func stop() { state.withLock { $0.areRefused = true } }

    func use(_ session: KeptSession?) {
        let current: (accessToken: String, key: StoredKey)? = session.flatMap { now in
            now.key.map { (now.session.accessToken, $0) }
        }
        let refreshToken = session?.session.refreshToken
        state.withLock { state in
            state.current = current
            guard let refreshToken, let key = current?.key else { return }
            state.recent.removeAll { $0.refreshToken == refreshToken }
            state.recent = state.recent.suffix(Self.recentCount - 1) + [(refreshToken, key)]
        }
    }

    /// The key of the session in use, if the token is its own.
    func key(of accessToken: String?) -> StoredKey? {
        state.withLock { state in state.current.flatMap { $0.accessToken == accessToken ? $0.key : nil } }
    }

    /// The key of a session that this client had.
    func key(ofRefreshToken token: String) -> StoredKey? {
        state.withLock { state in state.recent.last { $0.refreshToken == token }?.key }
    }

    /// Makes the next proof newer than those of other processes, whose clocks may differ.
    func skip() {
        let now = clock.now().timeIntervalSince1970
        state.withLock { state in
            let corrected = Self.seconds(now + (state.serverAhead ?? 0))
            let isAhead = state.newest > corrected && state.newest - corrected < Self.leeway
            state.newest = max(corrected + Self.step, isAhead ? state.newest + 1 : 0)
        }
    }

    /// - Parameter accessToken: The one that the request presents.
    func proof(by key: any DeviceKey, for call: HTTPCall, accessToken: String?) throws(KeyProblem) -> String {
        let (now, uptime) = (clock.now().timeIntervalSince1970, clock.uptime())
        let (time, nonce) = state.withLock { state in
            let corrected = Self.seconds(now + (state.serverAhead ?? 0))
            // The server takes an older proof than its newest for a copy.
            let isAhead = state.newest > corrected && state.newest - corrected <= Self.leeway
            state.newest = isAhead ? state.newest : corrected
            return (state.newest, state.nonce.flatMap { $0.until > uptime ? $0.text : nil })
        }
        var claims: AuthJSONObject = [
            "jti": .string(Base64URL.text(randomBytes(16))), "htm": .string(call.method),
            "htu": .string(String(call.url.absoluteString.prefix { $0 != "?" && $0 != "#" })), "iat": .integer(time),
        ]
        claims["nonce"] = nonce.map(AuthJSON.string)
        claims["ath"] = accessToken.map { .string(Base64URL.text(Array(SHA256.hash(data: Array($0.utf8))))) }
        let header: AuthJSON = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.members)]
        let input = [header, .object(claims)].map { Base64URL.text(Array($0.text.utf8)) }.joined(separator: ".")
        return input + "." + Base64URL.text(try key.signature(of: Array(input.utf8)))
    }

    /// The difference at an earlier response, until there is a new one.
    func assume(serverAhead: TimeInterval) { state.withLock { $0.serverAhead = $0.serverAhead ?? serverAhead } }

    /// Learns the server's time and nonce.
    ///
    /// - Parameter sent: The device's time when the request was sent.
    func note(_ reply: HTTPReply, sent: Date) {
        let trip = clock.now().timeIntervalSince(sent)
        let until = clock.uptime() + Self.nonceLifetime
        state.withLock { state in
            if let date = reply.date, (0...Self.longestTrip).contains(trip) {
                // `Date` is in whole seconds, cut off.
                state.serverAhead = date.timeIntervalSince(sent) - trip / 2 + 0.5
            }
            if let nonce = reply.headers["dpop-nonce"], (1...256).contains(nonce.utf8.count) {
                state.nonce = (nonce, until)
            }
        }
    }

    private static func seconds(_ time: TimeInterval) -> Int64 { Int64(exactly: time.rounded(.down)) ?? 0 }
}
