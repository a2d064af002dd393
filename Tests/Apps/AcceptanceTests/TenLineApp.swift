import GatehouseUI
import SwiftUI

// The README has this code.
struct JournalApp: App {
    @State private var account = AuthManager(url: "https://accounts.example.com", publishableKey: "sb_publishable_…")
    var body: some Scene { WindowGroup { JournalHome().gatehouse(account) } }
}

struct JournalHome: View {
    var body: some View {
        NavigationStack { Text("Today").toolbar { ProfileButton() } }
    }
}
