import Foundation
import Gatehouse
import GatehouseModel

extension InMemoryAuthService {
    /// Runs one call: applies its fault, lets the server process it, and handles the response.
    func exchange<Answer: Sendable, Value: Sendable>(
        _ call: Call, _ serve: @Sendable (inout InMemoryServer, Fault?) throws -> Answer,
        then receive: @Sendable (inout State, Answer) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let (fault, answer) = try state.withLock { state in
            let fault = state.script.take(call)
            if case .sessionEndedByServer(let code) = fault {
                if let kept = state.device.kept { state.server.sessions[kept.id] = nil }
                state.device.end(.endedByServer(code))
            }
            if let error = fault?.error(at: call) { throw error }
            return (fault, Result { try serve(&state.server, fault) })
        }
        if fault == .slow { try await gate.wait() }
        if fault == .answerLost { throw Fault.lost }
        let value = try answer.get()
        return try state.withLock { try receive(&$0, value) }
    }

    /// Returns the session with a token that is valid for 30 more seconds, refreshed first if necessary.
    func fresh() async throws -> InMemoryDevice.Kept {
        let kept = try signedIn()
        if kept.goodUntil - clock.uptime > .seconds(30) { return kept }
        do {
            return try await refreshed()
        } catch let error as AuthClientError {
            // A failure before the expiry is harmless: the token is still valid.
            if case .offline = error, kept.goodUntil > clock.uptime { return kept }
            throw error
        }
    }

    private func signedIn() throws -> InMemoryDevice.Kept {
        try state.withLock { state in
            state.restore()
            return try state.device.signedIn()
        }
    }

    /// Joins the refresh in progress, or starts one.
    private func refreshed() async throws -> InMemoryDevice.Kept {
        let task = state.withLock { state in
            if let flight = state.device.flight { return flight }
            state.device.notify(.refreshAttempted(.expired))
            // The cancellation of one caller must not lose a rotated token.
            let task = Task { try await self.fly() }
            state.device.flight = task
            return task
        }
        return try await task.value
    }

    private func fly() async throws -> InMemoryDevice.Kept {
        defer { state.withLock { $0.device.flight = nil } }
        let kept = try signedIn()
        do {
            return try await refreshed(kept)
        } catch AuthClientError.refused(let refusal) {
            let error = state.withLock { state in
                if state.device.kept?.id == kept.id {
                    state.device.end(.endedByServer(refusal.code ?? .unknown, because: refusal.sessionEnd))
                }
                return state.device.overtaken
            }
            state.withLock { $0.device.notify(.refreshFailed(error)) }
            throw error
        } catch let error as AuthClientError {
            state.withLock { $0.device.notify(.refreshFailed(error)) }
            throw error
        }
    }

    private func refreshed(_ kept: InMemoryDevice.Kept) async throws -> InMemoryDevice.Kept {
        let (now, uptime) = (clock.now, clock.uptime)
        return try await exchange(.refresh) { server, _ in
            try server.refresh(kept.id, at: now)
        } then: { state, opened in
            guard let current = state.device.kept, current.id == kept.id else { throw state.device.overtaken }
            _ = state.device.keep(opened, at: uptime)
            state.device.happened(.tokenRefreshed)
            return try state.device.signedIn()
        }
    }
}
