public import Foundation
import GatehouseWire

/// A new child session on its way to the widget, extension, watch, app or television that adopts it.
///
/// Contains a secret: the first receiver has the session. It is never printed. Use it once, soon, over a channel
/// that only the receiver reads, then discard it. The server ends a session whose transfer comes a second time, unless
/// it is a retry within ten seconds.
public struct ChildSessionTransfer: Hashable, Sendable {
    private static let prefix = "gatehouse-child:1:"

    let refreshToken: String

    init(refreshToken: String) { self.refreshToken = refreshToken }

    /// Reads ``text``.
    ///
    /// - Returns: nil for any other text.
    public init?(text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8), text.utf8.count <= 1_024 else { return nil }
        let rest = text.utf8.dropFirst(Self.prefix.utf8.count)
        guard !rest.isEmpty, rest.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        refreshToken = String(Substring(rest))
    }

    /// Reads ``data``.
    ///
    /// - Returns: nil for any other data.
    public init?(data: Data) {
        guard let text = String(data: data, encoding: .utf8) else { return nil }
        self.init(text: text)
    }

    /// The secret in ASCII, at most 1,024 bytes, for a QR code or a WatchConnectivity message.
    public var text: String { Self.prefix + refreshToken }

    /// The bytes of ``text``, for a shared Keychain item.
    public var data: Data { Data(text.utf8) }
}

extension ChildSessionTransfer: Unprinted {
    public var description: String { "ChildSessionTransfer(<secret>)" }
}

extension GatehouseClient {
    /// Opens a session for a widget, an extension, a watch, another of your apps, or a television, which adopts it
    /// with ``adopt(_:)``. This client's session stays as it is.
    ///
    /// The child has its own tokens and its own row in ``sessions()``. It reads the user and the profile, refreshes and
    /// signs itself out; changes of the account get `child_session`. It has this session's sign-in methods and level.
    /// It ends with this session, alone with ``revokeSession(id:)``, and when the user signs out the other devices or
    /// changes the password.
    ///
    /// - Parameters:
    ///   - name: For the list of devices, 1 to 100 bytes.
    ///   - lifetime: From now, one minute to 365 days, in whole seconds. nil for as long as this session.
    /// - Throws: `too_many_child_sessions` for an eleventh active child; `child_session` in a child session;
    ///   `validation_failed`; `over_request_rate_limit` after 30 per hour; status 404 by hosted Supabase. After
    ///   `offline`, a child without a receiver may exist.
    public func makeChildSession(
        name: String, kind: ChildSessionKind, lifetime: Duration? = nil
    ) async throws -> ChildSessionTransfer {
        try await asUser { token, _ in
            // A bound session's proof replaces the refresh token.
            let isBound = self.caller.proofs.key(of: token) != nil
            let refreshToken = isBound ? nil : try await self.session.refreshToken
            let request = AuthRequest(
                "POST", "/sessions/children",
                body: [
                    "name": .string(name), "kind": .string(kind.rawValue),
                    "lifetime": lifetime.map { .integer($0.components.seconds) },
                    "refresh_token": refreshToken.map(AuthJSON.string),
                ])
            let reply = try await self.caller.send(request, bearer: token)
            let answer = try AuthCaller.read(reply) { json throws(WireProblem) in try AuthSessionAnswer(json: json) }
            return ChildSessionTransfer(refreshToken: answer.refreshToken)
        }
    }

    /// Signs in with a child session from another process or device: exchanges the transfer's token, which binds the
    /// session to a key of this device, and stores the session like any other.
    ///
    /// - Throws: `refresh_token_not_found` if the session has ended; `refresh_token_already_used` for a second use,
    ///   which ends it; `invalid_dpop_proof` if another device adopted it and bound it to its key; `storeUnavailable`,
    ///   before any request. After another error, this client's session is the earlier one, and the app can repeat the
    ///   call or open another child.
    @discardableResult
    public func adopt(_ transfer: ChildSessionTransfer) async throws -> AuthSession {
        try await signIn(.refresh(transfer.refreshToken))
    }
}
