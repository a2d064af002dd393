import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension AdminHandlers {
    /// Also served while passkeys are disabled.
    var adminPasskeyRoutes: [Route] {
        let path = "/admin/users/{user_id}/passkeys"
        return [
            callers.administered(.get, path, slash: true, listUserPasskeys),
            callers.administered(.delete, path + "/{passkey_id}", slash: true, waits: false, deleteUserPasskey),
        ]
    }

    @Sendable func listUserPasskeys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await namedAccount(context)
        let passkeys = try await accounts.passkeys.all(of: account.user.id)
        return Answer.json { $0.passkeys(passkeys) }
    }

    @Sendable func deleteUserPasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await namedAccount(context)
        let outcome = try await accounts.passkeys.removePasskey(
            try server.passkeys.passkeyID(context), of: account.user.id,
            byAdministratorOn: try callers.device(request, context),
            at: runtime.now())
        if case .gone = outcome { throw Refusal.unknownUser }
        _ = try server.passkeys.changed(outcome)
        return Answer.empty(.noContent)
    }
}
