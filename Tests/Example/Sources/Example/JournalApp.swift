import GatehouseUI
import SwiftUI

// The pages have `@main` before it. Here the tests are the program.
struct JournalApp: App {
    @State private var account = AuthManager(url: "http://localhost:9999", publishableKey: "sb_publishable_…")

    var body: some Scene { WindowGroup { HomeView().gatehouse(account) } }
}

struct HomeView: View {
    var body: some View {
        NavigationStack { TodayView().toolbar { ProfileButton() } }
    }
}

struct TodayView: View {
    @Environment(AuthManager.self) private var account

    var body: some View {
        VStack {
            Text(headline(account))
            if account.isLoggedIn {
                Button("I am calm") { Task { await note("calm", account) } }
            }
        }
    }
}

@MainActor
func headline(_ account: AuthManager) -> String {
    switch account.phase {
    case .restoring: ""
    case .unauthenticated, .secondFactorNeeded: "Sign in to keep your journal"
    case .authenticating: "Signing in…"
    case .authenticated, .refreshing: "Hello, \(account.user?.firstName ?? "you")!"
    }
}

/// The journal with its fields on the profile screen.
struct MoodHome: View {
    var body: some View {
        HomeView()
            .profileSections { user in
                // Ignored: fields of another type show "None yet".
                Section("Mood") { Text((try? user.data(as: Journal.self))?.mood ?? "None yet") }
            }
    }
}
