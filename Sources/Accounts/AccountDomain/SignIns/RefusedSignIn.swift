package import GatehouseWire

/// Refused sign-ins of an account that have method, code, limit and address in common.
package struct RefusedSignIn: Equatable, Sendable {
    /// Raw values are stored and returned by the admin API.
    package enum Method: String, CaseIterable, Sendable {
        case password
        /// An emailed or texted one.
        case code
        case factor, passkey, provider
    }

    package let method: Method
    /// The response's, or ``ofHook``.
    package let code: String
    /// Of a limit that refused the attempts.
    package let bucket: String?
    package let address: String?
    package var count: Int64 = 1
    package var firstAt: Instant
    package var lastAt: Instant
    /// Of the last one.
    package var userAgent: String?
    package var requestID: String?
    /// When the limit admits an attempt again.
    package var until: Instant?

    /// A hook rejected the attempt, which the client cannot distinguish from a wrong password.
    package static let ofHook = "hook_rejected"

    package init(
        _ method: Method, _ code: String, bucket: String? = nil, until: Instant? = nil, from device: Device,
        at now: Instant
    ) {
        (self.method, self.code, self.bucket, self.until) = (method, code.cut(to: 64), bucket, until)
        (address, userAgent, requestID) = (device.address, device.userAgent, device.requestID)
        (firstAt, lastAt) = (now, now)
    }

    package func isLike(_ other: Self) -> Bool {
        method == other.method && code.utf8.elementsEqual(other.code.utf8) && address == other.address
            && bucket == other.bucket
    }

    package mutating func add(_ later: Self) {
        count += later.count
        (firstAt, lastAt) = (min(firstAt, later.firstAt), max(lastAt, later.lastAt))
        (userAgent, requestID, until) = (later.userAgent, later.requestID, later.until)
    }
}

/// An account's refused sign-ins, in one bounded row.
package struct RefusalHistory: Equatable, Sendable {
    /// A stranger cannot make the row longer.
    package static let most = 20

    /// Newest first.
    package private(set) var refusals: [RefusedSignIn] = []

    package init() {}

    /// Beyond ``most``, forgets the oldest.
    package mutating func add(_ refusal: RefusedSignIn) {
        if let index = refusals.firstIndex(where: refusal.isLike) {
            refusals[index].add(refusal)
        } else {
            refusals.append(refusal)
        }
        refusals.sort { $0.lastAt > $1.lastAt }
        refusals = Array(refusals.prefix(Self.most))
    }

    /// After an administrator has reset the limits.
    package mutating func endLocks() { for index in refusals.indices { refusals[index].until = nil } }
}

extension RefusalHistory {
    /// A JSON array of objects.
    package var stored: String {
        AuthJSON.array(
            refusals.map { refusal in
                var members: AuthJSONObject = [
                    "method": .string(refusal.method.rawValue), "code": .string(refusal.code),
                    "count": .integer(refusal.count), "first": .integer(refusal.firstAt.microseconds),
                    "last": .integer(refusal.lastAt.microseconds),
                ]
                members["bucket"] = refusal.bucket.map(AuthJSON.string)
                members["address"] = refusal.address.map(AuthJSON.string)
                members["agent"] = refusal.userAgent.map(AuthJSON.string)
                members["request"] = refusal.requestID.map(AuthJSON.string)
                members["until"] = refusal.until.map { .integer($0.microseconds) }
                return .object(members)
            }
        ).text
    }

    /// Ignores methods that only a newer release knows.
    package init(stored: String?) {
        // Ignored: this server wrote the JSON. An unreadable row is treated as empty.
        let entries = stored.flatMap { try? JSONReader.read($0) }?.arrayValue ?? []
        refusals = entries.compactMap(RefusedSignIn.init(stored:))
    }
}

extension RefusedSignIn {
    fileprivate init?(stored entry: AuthJSON) {
        guard let method = entry["method"]?.stringValue.flatMap(Method.init(text:)),
            let code = entry["code"]?.stringValue, let count = entry["count"]?.intValue,
            let first = entry["first"]?.intValue, let last = entry["last"]?.intValue
        else { return nil }
        var device = Device(userAgent: entry["agent"]?.stringValue, address: entry["address"]?.stringValue)
        device.requestID = entry["request"]?.stringValue
        let until = entry["until"]?.intValue.map(Instant.init(microseconds:))
        self.init(
            method, code, bucket: entry["bucket"]?.stringValue, until: until, from: device,
            at: Instant(microseconds: last))
        (self.count, firstAt) = (count, Instant(microseconds: first))
    }
}

/// Whose sign-in was refused, as the request named it. An account may not exist.
package enum RefusedSubject: Hashable, Sendable {
    case user(UserID)
    case address(Recipient)
    /// A provider's user, or the address that the provider gave.
    case identity(provider: String, subject: String, email: EmailAddress?)
}
