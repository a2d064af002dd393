import Gatehouse
import GatehouseUI

@MainActor
func signIn(_ account: AuthManager, with passkeys: any PasskeyAuthenticator) async throws -> SignInOutcome {
    let outcome = try await account.signInWithPasskey(with: passkeys)
    return outcome
}

@MainActor
func signUp(_ account: AuthManager, with passkeys: any PasskeyAuthenticator) async throws {
    if try await account.signUpWithPasskey(with: passkeys) == .formNeeded {
        try await account.signUpWithPasskey("ada@example.com", firstName: "Ada", with: passkeys)
    }
}

@MainActor
func delete(_ account: AuthManager) async throws {
    try await account.deleteAccount()  // shows `account.proofQuestion` while it waits
}

/// Adds an authenticator app. Returns the recovery codes and the session's level.
///
/// - Parameter ask: Shows the secret, and returns the code that the user enters.
func addApp(
    _ client: GatehouseClient, ask: (AuthEnrolledFactor) async throws -> String
) async throws -> (codes: [String], level: AuthAssuranceLevels) {
    let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal"))
    let code = try await ask(factor)
    try await client.mfa.challengeAndVerify(params: FactorChallengeAndVerifyParams(factorId: factor.id, code: code))
    let codes = try await client.mfa.recoveryCodes.generate().codes
    let level = try await client.mfa.getAuthenticatorAssuranceLevel()
    return (codes, level)
}
