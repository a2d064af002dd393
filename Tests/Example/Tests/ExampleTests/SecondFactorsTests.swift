import Gatehouse
import GatehouseTesting
import GatehouseUI
import Testing

@testable import Example

@Suite("Passkeys and second factors") @MainActor
struct SecondFactorsTests {
    @Test("A user closes the sheet for passkeys, and then signs in with a password and the app's code")
    func scripted() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        service.addAccount(email: "ada@example.com")
        let recoveryCodes = service.addApp()
        let code = service.appCode()  // what the app shows now
        service.meet(.freshProofNeeded, at: .deleteAccount)
        let passkeys = ScriptedPasskeys(.cancels, .works)

        #expect(!recoveryCodes.isEmpty && code != nil)
        let account = service.makeManager()
        await account.wait { $0.phase == .unauthenticated }
        #expect(try await signIn(account, with: passkeys) == .cancelled)
        #expect(await signIn(account, email: "ada@example.com", password: Fixtures.password) == nil)
        await account.wait { $0.phase == .secondFactorNeeded }
    }
}
