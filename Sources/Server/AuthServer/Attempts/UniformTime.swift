import GatehouseWire
import HTTPServing
import Hummingbird

extension AuthServer {
    /// Delays the response to a multiple of ``AuthSettings/passwordAnswerTime``: timing reveals no account, kind of
    /// hash or ban. Rate-limit refusals are immediate, except the account's own, whose check reads its sessions.
    func inUniformTime<Value>(_ body: () async throws -> Value) async throws -> Value {
        let started = runtime.uptime()
        do {
            let value = try await body()
            await padTime(since: started)
            return value
        } catch {
            if !isRefusedAtOnce(error) { await padTime(since: started) }
            throw error
        }
    }

    private func isRefusedAtOnce(_ error: any Error) -> Bool {
        guard let refusal = error as? Refusal, refusal.status == .tooManyRequests else { return false }
        return attempts?.isOfAccount(refusal.headers[.rateLimitBucket]) != true
    }

    private func padTime(since started: Duration) async {
        let period = settings.passwordAnswerTime.microseconds
        guard period > 0 else { return }
        let passed = (runtime.uptime() - started).microseconds % period
        // Ignored: only a disconnect cuts the delay short, and committed work is still returned.
        try? await runtime.sleep(.microseconds(period - passed))
    }
}
