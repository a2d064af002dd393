import GatehouseWire
import HTTPServing
import Hummingbird

extension AuthServer {
    /// Answers after a whole number of ``AuthSettings/passwordAnswerTime``: whether the account exists, which hash it has
    /// and whether it is banned makes a difference of milliseconds, and none to the caller's clock. Only what is refused
    /// for being too much is refused at once, unless it is the account that is shut: its sessions were looked up.
    func inEvenTime<Value>(_ body: () async throws -> Value) async throws -> Value {
        let started = floor.uptime()
        do {
            let value = try await body()
            await waitForEvenTime(since: started)
            return value
        } catch {
            if !isRefusedAtOnce(error) { await waitForEvenTime(since: started) }
            throw error
        }
    }

    private func isRefusedAtOnce(_ error: any Error) -> Bool {
        guard let refusal = error as? Refusal, refusal.status == .tooManyRequests else { return false }
        return attempts?.isOfAccount(refusal.headers[.rateLimitBucket]) != true
    }

    private func waitForEvenTime(since started: Duration) async {
        let period = settings.passwordAnswerTime.microseconds
        guard period > 0 else { return }
        let passed = (floor.uptime() - started).microseconds % period
        // Lost: the rest of the wait, when the caller has gone. What was committed is told all the same.
        try? await floor.sleep(.microseconds(period - passed))
    }
}
