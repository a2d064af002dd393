package import GatehouseWire
import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

extension Request {
    /// Reads the members of the JSON object in the body. Ignores `Content-Type`, like Supabase Auth.
    ///
    /// - Throws: ``Refusal`` `bad_json` (400) for an empty body or anything but one object, and the errors of
    ///   ``bytes(_:)``.
    package func jsonMembers(_ context: ServerContext) async throws -> JSONMembers {
        let bytes = try await bytes(context)
        guard !bytes.isEmpty else { throw Refusal.badJSON("unexpected end of JSON input") }
        do throws(JSONProblem) {
            return try JSONMembers(bytes)
        } catch {
            throw Refusal.badJSON(error.sentence)
        }
    }

    /// Reads the body. It can be read only once; a second call returns no bytes.
    ///
    /// A slow body is cut off at the request's deadline, checked when a part arrives. A stalled one ends with the
    /// connection's idle timeout, so that ordinary requests need no timer. Both close the connection.
    ///
    /// - Throws: ``Refusal`` 413 for more than `context.maxUploadSize` bytes, before reading if `Content-Length`
    ///   announces them; 503 if the bodies of all requests together are too long; 504 after the deadline.
    package func bytes(_ context: ServerContext) async throws -> [UInt8] {
        let limit = context.maxUploadSize
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw refusedMidway(.bodyTooLarge(limit: limit), context) }
        var bytes: [UInt8] = []
        // Capped, so that an announced length alone allocates no memory.
        bytes.reserveCapacity(min(announced ?? 0, BodyBudget.free))
        var parts = body.makeAsyncIterator()
        while let part = try await next(&parts, context) {
            guard bytes.count + part.readableBytes <= limit else {
                throw refusedMidway(.bodyTooLarge(limit: limit), context)
            }
            do {
                try context.bodyShare?.grow(to: bytes.count + part.readableBytes)
            } catch {
                throw refusedMidway(.unavailable(error), context)
            }
            bytes.append(contentsOf: part.readableBytesView)
            if let announced, bytes.count >= announced { continue }
            if let deadline = context.deadline, deadline.isOver { throw refusedMidway(.timeout, context) }
        }
        return bytes
    }

    private func next(_ parts: inout RequestBody.AsyncIterator, _ context: ServerContext) async throws -> ByteBuffer? {
        do {
            return try await parts.next()
        } catch {
            // When the time limit cancels the wait for the body, the error is the body's own.
            if Task.isCancelled { throw refusedMidway(.timeout, context) }
            throw ConnectionLost(cause: error)
        }
    }

    private func refusedMidway(_ refusal: Refusal, _ context: ServerContext) -> Refusal {
        context.closeConnection(after: .seconds(5))
        return refusal
    }
}

extension JSONProblem {
    /// A message for the client. Never quotes the body.
    var sentence: String {
        switch self {
        case .malformed(let reason): reason
        case .wrongType(let member, let expected): "\(member) must be of type \(expected)"
        }
    }
}

/// Limits the memory of all request bodies together, however many clients send long bodies slowly.
package final class BodyBudget: Sendable {
    /// The bytes of each body that do not count. Sign-ins, refreshes and profile changes are shorter, so other clients'
    /// long bodies never block them.
    static let free = 8_192

    private struct Use {
        var bytes = 0
        var highest = 0
    }

    private let limit: Int
    private let use = Mutex(Use())

    package init(limit: Int = 33_554_432) { self.limit = limit }

    package var bytes: Int { use.withLock(\.bytes) }

    /// Returns the maximum in use since the previous call.
    package func takeHighest() -> Int {
        use.withLock { use in
            defer { use.highest = use.bytes }
            return use.highest
        }
    }

    fileprivate func take(_ count: Int) -> Bool {
        use.withLock { use in
            guard use.bytes + count <= limit else { return false }
            use.bytes += count
            use.highest = max(use.highest, use.bytes)
            return true
        }
    }

    fileprivate func giveBack(_ count: Int) { use.withLock { $0.bytes -= count } }
}

/// A request's share of the budget.
final class BodyShare: Sendable {
    private let budget: BodyBudget
    private let taken = Mutex(0)

    init(_ budget: BodyBudget) { self.budget = budget }

    /// - Parameter count: The length of the body so far.
    /// - Throws: ``BodiesTooLong``.
    func grow(to count: Int) throws(BodiesTooLong) {
        let isTaken = taken.withLock { taken in
            let wanted = max(0, count - BodyBudget.free)
            guard wanted > taken else { return true }
            guard budget.take(wanted - taken) else { return false }
            taken = wanted
            return true
        }
        if !isTaken { throw BodiesTooLong() }
    }

    /// Returns the share to the budget.
    func end() {
        let count = taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
        if count > 0 { budget.giveBack(count) }
    }
}

/// The bodies of all requests together exceed the limit at the moment.
struct BodiesTooLong: Error {}
