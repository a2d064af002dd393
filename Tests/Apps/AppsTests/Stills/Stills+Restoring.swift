import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

extension Still {
    static let restoring = [
        Still("set-aside-password", showsMost: true) {
            let service = try await proven()
            try await service.service.signOut()
            service.clock.advance(by: .seconds(61))
            return try await World.guest(service).tapping("Sign in", "Sign in with Email")
                .typing(["Email": "ada@example.com", "Password": Fixtures.password]).tapping("submit")
                .waiting(for: "Enter the code we emailed you to keep using this password.")
        },
        Still("profile-set-aside", showsMost: true) {
            try await World.user(proven()).tapping("Your profile").waiting(for: "About Your Account")
        },
        Still("second-step-start-over", showsMost: true) {
            let service = InMemoryAuthService.signedIn(favoriteTeams: [])
            service.addApp()
            let world = await World.boxScore(service, teams: { World.manyTeams })
            try await world.screen.wait { $0.title == "Confirm It's You" }
            return try await world.tapping("Start Over with This Email")
        },
    ]

    /// Signed in with a code, which set the password aside.
    private static func proven() async throws -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn(favoriteTeams: [])
        try await service.service.signOut()
        try await service.service.sendSignInMail(to: "ada@example.com")
        let code = service.mailCode(.signIn, to: "ada@example.com") ?? ""
        _ = try await service.service.verify(code: code, sentTo: "ada@example.com", for: .email)
        return service
    }
}
