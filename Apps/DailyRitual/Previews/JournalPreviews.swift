#if DEBUG
import Gatehouse
import GatehouseTesting
import GatehouseUI
import SwiftUI

@MainActor
private func journal(
    _ service: InMemoryAuthService, timezone: String? = nil, isPremium: Bool = false
) -> some View {
    let summary = ProfileSummary(id: Fixtures.id(1), firstName: "Ada", createdAt: Fixtures.date)
    let profile = Profile(
        summary: summary, name: "Ada", timezone: timezone, isPremium: isPremium, updatedAt: Fixtures.date)
    let calls = ProfileCalls {
        profile
    } save: { _ in
        throw AuthClientError.refused(AuthRefusal(status: 503, code: nil))
    }
    return JournalView(profile: calls, date: Fixtures.date)
        .gatehouse(service.makeManager(), branding: .dailyRitual, browser: ScriptedProviderSheet(.signsIn(.ada)))
}

#Preview("Guest") { journal(InMemoryAuthService()) }

#Preview("First sign-in") { journal(.signedIn()) }

#Preview("Today, dark") {
    journal(.signedIn(), timezone: "Europe/Berlin", isPremium: true).preferredColorScheme(.dark)
}
#endif
