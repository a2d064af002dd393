import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes

extension SignInHandlers {
    /// - Returns: The hook's rejection, even of a right password.
    /// - Throws: ``Refusal`` for a failure that the settings do not allow.
    func rejection(ofPasswordOf user: User, isRight: Bool, from device: Device) async throws -> Refusal? {
        guard hooks?[.passwordVerificationAttempt] != nil else { return nil }
        let answer: AuthJSONObject?
        do {
            answer = try await server.ask(.passwordVerificationAttempt, from: device.address) { writer in
                writer.member("user_id", user.id.text)
                writer.member("valid", isRight)
            }
        } catch let failure as HookFailure {
            throw Refusal(failure)
        }
        guard answer?["decision"]?.stringValue == "reject" else { return nil }
        if answer?["should_logout_user"]?.boolValue == true {
            try await accounts.signOut(
                user.id, name: user.name, session: nil, scope: .global,
                as: .bySystem(.endedByHook, from: device), at: runtime.now())
        }
        let message = answer?["message"]?.stringValue ?? ""
        return Refusal(
            .badRequest, .invalidCredentials,
            message.isEmpty ? "Further password verification attempts will be rejected." : message.cut(to: 1_000),
            cause: HookRejection(hook: .passwordVerificationAttempt))
    }
}
