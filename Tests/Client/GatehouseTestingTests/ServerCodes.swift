import AccountDomain
import GatehouseTesting
import TestSupport

extension TestServer {
    func code(_ kind: InMemoryAuthService.Mail.Kind, _ email: String) async throws -> String? {
        let kinds: Set<MailKind> =
            switch kind {
            case .recovery: [.recovery]
            case .confirmation: [.signUp]
            case .signIn: [.magicLink, .signUp]
            case .emailChange: [.emailChangeNew, .emailChangeCurrent]
            case .link: [.linkConfirmation]
            case .accountExists: []
            }
        return try await mailedCode(to: email, of: kinds)
    }
}
