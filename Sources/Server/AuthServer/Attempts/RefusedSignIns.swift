import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Synchronization

/// Refused sign-ins that are not stored yet. Storing them later keeps a flood cheap, and delays no response: its timing
/// would reveal whether an account exists. A killed process loses them.
final class RefusedSignIns: Sendable {
    /// Further ones are dropped until the next ``write(to:at:)``.
    static let most = 1_000

    private struct State {
        var waiting: [RefusedSubject: [RefusedSignIn]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    func add(_ refusal: RefusedSignIn, of subject: RefusedSubject) {
        state.withLock { state in
            let known = state.waiting[subject] ?? []
            if let index = known.firstIndex(where: refusal.isLike) {
                state.waiting[subject]?[index].add(refusal)
            } else if state.count < Self.most, known.count < RefusalHistory.most {
                state.waiting[subject, default: []].append(refusal)
                state.count += 1
            }
        }
    }

    /// A transaction per account. After an error, the rest waits for the next call.
    func write(to store: SignInStore, at now: Instant) async throws {
        var waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        do {
            while let (subject, refusals) = waiting.first {
                try await store.record(refusals, of: subject, at: now)
                waiting[subject] = nil
            }
        } catch {
            for (subject, refusals) in waiting { for refusal in refusals { add(refusal, of: subject) } }
            throw error
        }
    }
}

extension AuthServer {
    /// Notes a refusal for the operator, if the account exists.
    ///
    /// - Parameter subject: nil notes nothing.
    func noting<Value>(
        _ method: RefusedSignIn.Method, of subject: RefusedSubject?, from device: Device,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as Refusal {
            note(refusal, method, of: subject, from: device)
            throw refusal
        }
    }

    func note(_ refusal: Refusal, _ method: RefusedSignIn.Method, of subject: RefusedSubject?, from device: Device) {
        guard let subject else { return }
        let now = runtime.now()
        let bucket = refusal.headers[.rateLimitBucket]
        let wait = bucket == nil ? nil : refusal.headers[.retryAfter].flatMap { Int64($0) }
        let code = refusal.cause is HookRejection ? RefusedSignIn.ofHook : refusal.code.rawValue
        refusals.add(
            RefusedSignIn(method, code, bucket: bucket, until: wait.map { now + .seconds($0) }, from: device, at: now),
            of: subject)
    }

    package func writeRefusals() async throws { try await refusals.write(to: accounts.signIns, at: runtime.now()) }
}

/// A hook refused, with its own message.
struct HookRejection: Error {
    let hook: HookName
}

extension RefusedSubject {
    /// The address that a request names; nil for an unusable one, whose refusal concerns no account.
    init?(_ body: JSONMembers) {
        // Ignored: the handler refuses members of a wrong type.
        let (email, phone) = (try? body.string("email"), try? body.string("phone"))
        if let email = email.flatMap({ EmailAddress($0) }) {
            self = .address(.email(email))
        } else if let phone = phone.flatMap({ PhoneNumber($0) }) {
            self = .address(.phone(phone))
        } else {
            return nil
        }
    }

    init(_ identity: ProviderIdentity) {
        self = .identity(
            provider: identity.provider, subject: identity.subject, email: identity.email)
    }
}
