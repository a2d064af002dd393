import AccountDomain
import GatehouseWire
import HTTPServing
import HTTPTypes

enum HookFailure: Error, Equatable, Sendable {
    case timedOut
    /// No connection in any attempt.
    case unreachable(String)
    case addressRefused(String)
    case tooLong
    /// The header's value, truncated.
    case contentType(String)
    /// The hook asked to be called later.
    case unavailable
    case status(Int)
    case malformed(String)
    /// The account changed during each call.
    case outdated
}

/// At most three attempts with one message ID, within five seconds in total.
struct HookCall: Sendable {
    static let timeLimit: Duration = .seconds(5)
    static let attempts = 3
    /// Between attempts, unless the hook names a time.
    static let pause: Duration = .seconds(2)
    static let maximumBytes = 204_800

    let name: HookName
    let hook: Hook
    let message: WebhookMessage
    let send: SignedTransport
    let now: @Sendable () -> Instant
    let sleep: @Sendable (Duration) async throws -> Void

    /// - Returns: nil for status 204: the hook has nothing to say.
    /// - Throws: ``HookFailure``, or `CancellationError`.
    func answer() async throws -> AuthJSONObject? {
        do {
            return try await limited(to: Self.timeLimit, by: sleep) { try await attempt() }
        } catch is TimeIsOver {
            throw HookFailure.timedOut
        }
    }

    private func attempt() async throws -> AuthJSONObject? {
        var failure = HookFailure.unavailable
        for attempt in 1...Self.attempts {
            var pause = Self.pause
            do {
                let answer = try await send(
                    SignedCall(
                        name: "hook \(name.rawValue)", url: hook.url,
                        headers: message.headers(at: now(), secrets: hook.secrets), body: message.body,
                        maximumBytes: Self.maximumBytes, timeLimit: Self.timeLimit))
                switch answer.status {
                case 200, 202, 204: return try Self.members(of: answer)
                case 429, 503:
                    guard let text = answer.retryAfter else { throw HookFailure.unavailable }
                    failure = .unavailable
                    if let seconds = Int(text) { pause = .seconds(max(0, seconds)) }
                default: throw HookFailure.status(answer.status)
                }
            } catch let problem as SignedCallFailure {
                switch problem {
                case .timedOut: throw HookFailure.timedOut
                case .tooLong: throw HookFailure.tooLong
                case .addressRefused(let cause): throw HookFailure.addressRefused(cause)
                case .noConnection(let cause): failure = .unreachable(cause)
                }
            }
            // A longer pause would only run into the time limit.
            guard attempt < Self.attempts, pause < Self.timeLimit else { break }
            try await sleep(pause)
        }
        throw failure
    }

    private static func members(of answer: SignedCallAnswer) throws(HookFailure) -> AuthJSONObject? {
        guard let type = answer.contentType else {
            if answer.status == 204 { return nil }
            throw .contentType("")
        }
        let media = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard media == "application/json" else { throw .contentType(type.cut(to: 100)) }
        do throws(JSONProblem) {
            guard let members = try JSONReader.read(answer.body).objectValue else {
                throw JSONProblem.malformed("no object")
            }
            return members
        } catch {
            throw .malformed("\(error)")
        }
    }
}

/// The hook's message is for the client only.
struct HookRefused: Error {}

extension Refusal {
    var isOfHook: Bool { cause is HookFailure || cause is HookRefused }

    /// With Supabase's status and code, except 503 for a refresh: clients drop their session after any other status.
    init(_ failure: HookFailure, isRefresh: Bool = false) {
        let (status, code, message): (HTTPResponse.Status, RefusalCode, String) =
            switch failure {
            case .timedOut:
                (.unprocessableContent, .hookTimeout, "Failed to reach hook within maximum time of 5 seconds")
            case .unreachable:
                (.unprocessableContent, .hookTimeoutAfterRetry, "Failed to reach hook after maximum retries")
            case .tooLong:
                (
                    .unprocessableContent, .hookPayloadOverSizeLimit,
                    "Payload size exceeded size limit of \(HookCall.maximumBytes) bytes"
                )
            case .contentType(let type):
                (
                    .badRequest, .hookPayloadInvalidContentType,
                    type.isEmpty
                        ? "Invalid Content-Type: Missing Content-Type header"
                        : "Invalid JSON response. Received content-type: \(type)"
                )
            case .unavailable:
                (.internalServerError, .unexpectedFailure, "Service currently unavailable due to hook")
            case .status(400): (.internalServerError, .unexpectedFailure, "Invalid payload sent to hook")
            case .status(401): (.internalServerError, .unexpectedFailure, "Hook requires authorization token")
            case .status(let status):
                (.internalServerError, .unexpectedFailure, "Unexpected status code returned from hook: \(status)")
            case .addressRefused:
                (.internalServerError, .unexpectedFailure, "The address of the hook must not be called")
            case .outdated:
                (.serviceUnavailable, .unexpectedFailure, "The account keeps changing, please retry after a moment")
            case .malformed: (.internalServerError, .unexpectedFailure, "The answer of the hook cannot be used")
            }
        guard isRefresh || failure == .outdated else {
            self.init(status, code, message, cause: failure)
            return
        }
        self.init(.serviceUnavailable, code, message, headers: [.retryAfter: "2"], cause: failure)
    }

    /// `{"error":{"http_code":…,"message":…}}`. nil without a message.
    init?(hookAnswer answer: AuthJSONObject) {
        guard let error = answer["error"], let message = error["message"]?.stringValue, !message.isEmpty else {
            return nil
        }
        let code = error["http_code"]?.intValue ?? 500
        let status = HTTPResponse.Status(code: (400...599).contains(code) ? Int(code) : 500)
        self.init(
            status, status.code == 500 ? .unexpectedFailure : .unknown, message.cut(to: 1_000), cause: HookRefused())
    }
}
