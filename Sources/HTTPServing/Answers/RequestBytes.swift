package import GatehouseWire
import HTTPTypes
package import Hummingbird
import NIOCore

extension Request {
    /// The members of the JSON object in the body. What `Content-Type` says is not looked at (contract 1.5).
    ///
    /// - Throws: ``Refusal`` `bad_json` (400) for an empty body and for anything that is not one object, and
    ///   what ``bytes(_:)`` throws.
    package func jsonMembers(_ context: ServerContext) async throws -> JSONMembers {
        let bytes = try await bytes(context)
        guard !bytes.isEmpty else { throw Refusal.badJSON("unexpected end of JSON input") }
        do throws(JSONProblem) {
            return try JSONMembers(bytes)
        } catch {
            throw Refusal.badJSON(error.sentence)
        }
    }

    /// The body, once: a second call finds nothing.
    ///
    /// A body that drips is cut off at the request's deadline, looked at whenever a part arrives; one that
    /// stalls altogether is ended by the server's idle timeout, so no timer is started for the millions that do
    /// neither. In both cases the connection ends too.
    ///
    /// - Throws: ``Refusal`` 413 for more than `context.maxUploadSize` bytes, before reading if the caller said
    ///   so; ``Refusal`` 503 when the bodies of all requests together are too long; ``Refusal`` 504 when time is over.
    package func bytes(_ context: ServerContext) async throws -> [UInt8] {
        let limit = context.maxUploadSize
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw refusedMidway(.bodyTooLarge(limit: limit), context) }
        var bytes: [UInt8] = []
        // No more than comes: what is only announced costs the caller nothing.
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
            // A time limit that ran out ends the wait for the body with an error of the body's own.
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
    /// Fit for the caller: never what was sent.
    var sentence: String {
        switch self {
        case .malformed(let reason): reason
        case .wrongType(let member, let expected): "\(member) must be of type \(expected)"
        }
    }
}
