import Gatehouse
import GatehouseUI
import SwiftUI

struct AccountList: View {
    let account: AuthManager
    @State private var signsInAgain = false

    var body: some View {
        List(account.accounts) { other in
            Button(other.email ?? other.name ?? "Account") { Task { await use(other) } }
                .disabled(other.state == .active)
        }
        .task { await account.loadAccounts() }
        .sheet(isPresented: $signsInAgain) { Text("Sign in to this account again.") }
    }

    private func use(_ other: DeviceAccount) async {
        do throws(AuthError) {
            try await account.use(other.id)
        } catch {
            signsInAgain = error == .notAuthenticated
        }
    }
}
