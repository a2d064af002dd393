import AccountDomain
import Foundation
import Gatehouse
import Synchronization

/// A user's requests to the app.
struct Wish: Sendable {
    enum Kind: Hashable, Sendable {
        case signIn(email: String)
        case signOut
    }

    let run: Incarnation
    let kind: Kind
    let begin: Int
    var end: Int?
    var hasSucceeded = false
    /// The user of a sign-in that succeeded.
    var user: String?
}

/// Keeps the first broken promise.
final class History: Sendable {
    private struct State {
        var tick = 0
        var wishes: [Wish] = []
        var changes: [(tick: Int, change: StoreChange)] = []
        var written: Set<String> = []
        var complaint: String?
        /// nil while the store cannot be read.
        var readableSince: Int? = 0
        /// Running refreshes, by their numbers.
        var flights: [Int: (run: Incarnation, session: SessionID?)] = [:]
    }

    private let state = Mutex(State())
    /// Whether events are printed as they happen.
    private let isTold: Bool

    init(isTold: Bool) { self.isTold = isTold }

    func tell(_ text: @autoclosure () -> String) {
        if isTold { print("\(state.withLock { $0.tick }): \(text())") }
    }

    /// The first broken promise.
    var complaint: String? { state.withLock { $0.complaint } }
    func complain(_ text: String) { state.withLock { $0.complaint = $0.complaint ?? text } }

    func now() -> Int {
        state.withLock { state in
            state.tick += 1
            return state.tick
        }
    }

    func begin(_ kind: Wish.Kind, _ run: Incarnation) -> Int {
        let begin = now()
        tell("\(run) begins: \(kind)")
        return state.withLock { state in
            state.wishes.append(Wish(run: run, kind: kind, begin: begin))
            return state.wishes.count - 1
        }
    }

    func end(_ wish: Int, hasSucceeded: Bool, user: String? = nil) {
        let end = now()
        tell("wish \(wish) \(hasSucceeded ? "is done" : "failed")")
        state.withLock { state in
            state.wishes[wish].end = end
            state.wishes[wish].hasSucceeded = hasSucceeded
            state.wishes[wish].user = user
        }
    }

    /// No other request ran at the same time.
    func wasAlone(_ wish: Int) -> Bool {
        state.withLock { state in
            let own = state.wishes[wish]
            return state.wishes.enumerated().allSatisfy { index, other in
                index == wish || (other.end ?? .max) < own.begin || other.begin > (own.end ?? .max)
            }
        }
    }

    /// Or was running when the app crashed.
    var isSigningOut: Bool { state.withLock { $0.wishes.contains { Self.isSigningOut($0) } } }

    private static func isSigningOut(_ wish: Wish) -> Bool { wish.kind == .signOut && wish.end == nil }
    private static func isSigningIn(_ wish: Wish) -> Bool { wish.kind != .signOut && wish.end == nil }
}

// The store.
extension History {
    /// When it happens.
    func hear(_ change: StoreChange, _ server: ExploredServer) {
        let tick = now()
        let wishes = state.withLock { state in
            state.changes.append((tick, change))
            if let after = change.after { state.written.insert(after) }
            return state.wishes
        }
        let own = wishes.filter { $0.run === change.by }
        let (before, after) = (change.before.flatMap(server.issued), change.after.flatMap(server.issued))
        tell("\(change.by) changes the store from \(Self.name(before)) to \(Self.name(after))")
        switch (before, after) {
        case (let before?, nil):
            if !own.contains(where: Self.isSigningOut), !server.hasEnded(before.session) {
                complain("a session was removed from the store without a cause")
            }
        case (nil, .some):
            let others = wishes.filter { $0.run !== change.by }
            // A concurrent sign-out clears once more.
            let isAllowed = own.contains(where: Self.isSigningIn) || others.contains(where: Self.isSigningOut)
            if !isAllowed { complain("a session came back into the store") }
        case (let before?, let after?) where before.session == after.session:
            if after.counter < before.counter { complain("an older token replaced a newer one") }
        case (.some, .some):
            if !own.contains(where: Self.isSigningIn) { complain("a session was replaced without a sign-in") }
        case (nil, nil): complain("the store holds a token that nobody gave")
        }
    }

    private static func name(_ token: ExploredServer.Issued?) -> String {
        token.map { "\($0.session.text.prefix(4))/\($0.counter)" } ?? "nothing"
    }

    func storeChanges(isReadable: Bool) {
        let tick = now()
        state.withLock { $0.readableSince = isReadable ? ($0.readableSince ?? tick) : nil }
    }

    /// The store held this session at some time since. Unknown, and so true, if it could not always be read.
    private func heldSince(_ begin: Int, _ session: SessionID, _ server: ExploredServer) -> Bool {
        let held = state.withLock { state -> [String?]? in
            guard let since = state.readableSince, since <= begin else { return nil }
            let before = state.changes.last { $0.tick <= begin }?.change.after
            return [before] + state.changes.filter { $0.tick > begin }.map(\.change.after)
        }
        return held?.contains { $0.flatMap(server.issued)?.session == session } ?? true
    }

    func wasRemoved(byAnotherThan run: Incarnation) -> Bool {
        state.withLock { state in state.changes.contains { $0.change.after == nil && $0.change.by !== run } }
    }

    var wasEverEmptied: Bool { state.withLock { $0.changes.contains { $0.change.after == nil } } }
    func wasWritten(_ token: String) -> Bool { state.withLock { $0.written.contains(token) } }
}

// Results of callers.
extension History {
    func judge(
        _ session: Gatehouse.AuthSession, askedAt begin: Int, goodAt uptime: Duration, _ run: Incarnation,
        _ server: ExploredServer
    ) {
        guard !run.isDead else { return }
        let user = session.user.id.uuidString.lowercased()
        guard let issued = server.issued(session.refreshToken), issued.user == user,
            session.accessToken.hasPrefix("\(user).\(issued.session.text).")
        else { return complain("a caller got a mixture of two sessions") }
        if !wasWritten(session.refreshToken) { complain("a token was used that was never saved") }
        if let end = ExploredServer.end(of: session.accessToken), end <= uptime {
            complain("a caller got a token that had expired")
        }
        if !heldSince(begin, issued.session, server) {
            complain("a caller, \(run), asked at \(begin), got a session that had left the store")
        }
        guard isPossible(user, begin, run) else { return complain("a caller got another person's session") }
    }

    /// The last event of this run is effective, and any later one of another process.
    private func isPossible(_ user: String, _ begin: Int, _ run: Incarnation) -> Bool {
        state.withLock { state in
            let own = state.wishes.filter { $0.run === run }
            let isUnclear = own.contains { ($0.end ?? .max) > begin || !$0.hasSucceeded }
            guard !isUnclear, let last = own.max(by: { $0.begin < $1.begin }) else { return true }
            // Concurrent requests: either may be the last.
            if own.contains(where: { $0.begin < last.begin && ($0.end ?? .max) > last.begin }) { return true }
            if last.kind != .signOut, last.user == user { return true }
            return state.wishes.contains { other in
                other.run !== run && other.kind != .signOut && (other.end ?? .max) >= last.begin
                    && (!other.hasSucceeded || other.user == user)
            }
        }
    }

    func judge(_ reason: SignedOutReason, _ run: Incarnation, _ server: ExploredServer) {
        guard !run.isDead else { return }
        tell("\(run) is signed out: \(reason)")
        let hasSignedOut = state.withLock { state in
            state.wishes.contains { $0.run === run && $0.kind == .signOut }
        }
        let isJustified =
            switch reason {
            case .requested: hasSignedOut
            case .endedByServer: server.hasEndedAny
            case .signedOutElsewhere: wasRemoved(byAnotherThan: run)
            case .neverSignedIn: wasEverEmptied || !hasStored
            case .storeDamaged: false
            }
        if !isJustified { complain("signed out without a cause: \(reason)") }
    }

    private var hasStored: Bool { state.withLock { !$0.written.isEmpty } }
}

// Running refreshes.
extension History {
    /// - Returns: The refresh's number.
    func refreshLeaves(_ run: Incarnation, _ session: SessionID?, current: [Incarnation]) -> Int {
        let number = now()
        let isAlone = state.withLock { state in
            let isSigningOut = state.wishes.contains { Self.isSigningOut($0) }
            let alive = state.flights.values.filter { flight in
                !flight.run.isDead && flight.session == session && current.contains { $0 === flight.run }
            }
            state.flights[number] = (run, session)
            return isSigningOut || alive.isEmpty
        }
        if !isAlone, !run.isDead { complain("two refreshes of one session ran at once") }
        return number
    }

    func refreshReturned(_ flight: Int) {
        state.withLock { $0.flights[flight] = nil }
    }
}
