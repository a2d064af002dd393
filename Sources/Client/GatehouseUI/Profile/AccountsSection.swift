import Gatehouse
import GatehouseModel
import SwiftUI

struct AccountsSection: View {
    @Environment(AuthManager.self) private var manager
    @State private var model: AccountsModel
    @State private var question: AccountQuestion?
    @State private var asks = false

    init(model: AccountsModel) { _model = State(initialValue: model) }

    var body: some View {
        if manager.allowsSeveralAccounts { section }
    }

    private var section: some View {
        Section {
            if model.accounts.count > 1 { rows }
            if let failure = model.failure { Text(model: failure).foregroundStyle(.red) }
            addition
            if model.accounts.count > 1 {
                Button(role: .destructive) {
                    ask(.signOutOfAll)
                } label: {
                    Text(ui: "Sign Out of All Accounts")
                }
            }
        } header: {
            Text(ui: "Accounts on This Device")
        }
        .disabled(model.isWorking)
    }

    /// Has the sheets: a section's modifiers apply to each row.
    private var addition: some View {
        Button {
            model.signsIn = true
        } label: {
            Label {
                Text(ui: "Add Account")
            } icon: {
                Image(systemName: "plus")
            }
        }
        .disabled(!model.canAdd)
        .task { await model.load() }
        .onChange(of: model.phase) {
            if let failure = model.failure { announce(failure) }
        }
        .confirmationDialog(for: question, isPresented: $asks, act: answer)
        .sheet(isPresented: $model.signsIn) { LoginView(addsAccount: true).sheetSize() }
        .onChange(of: manager.user?.id) { model.signsIn = false }
    }

    private var rows: some View {
        ForEach(model.accounts) { account in
            AccountRow(account: account, isWorking: model.phase == .working(account.id)) {
                model.choose(account)
            } remove: {
                ask(.remove(account))
            }
        }
    }

    private func ask(_ question: AccountQuestion) { (self.question, asks) = (question, true) }

    private func answer() {
        switch question {
        case .remove(let account): model.remove(account)
        case .signOutOfAll: model.signOutOfAll()
        case nil: break
        }
    }
}

private enum AccountQuestion: DestructiveQuestion {
    case remove(DeviceAccount)
    case signOutOfAll

    var title: Text {
        switch self {
        case .remove: Text(ui: "Remove")
        case .signOutOfAll: Text(ui: "Sign Out of All Accounts")
        }
    }

    var message: Text {
        switch self {
        case .remove(let account):
            Text(ui: "This signs you out of \(Text(account)) on this device. You can sign in again at any time.")
        case .signOutOfAll: Text(ui: "Are you sure you want to sign out of all accounts on this device?")
        }
    }
}

extension Text {
    /// Names may be the same.
    init(_ account: DeviceAccount) {
        if let text = account.email?.shownAddress ?? account.phone?.shownNumber ?? account.name {
            self.init(verbatim: text)
        } else {
            self.init(ui: "Account")
        }
    }
}

private struct AccountRow: View {
    let account: DeviceAccount
    let isWorking: Bool
    let choose: @MainActor () -> Void
    let remove: @MainActor () -> Void

    var body: some View {
        AdaptiveRow {
            if account.state == .active {
                AccountName(account: account).accessibilityAddTraits(.isSelected)
                Spacer()
                Image(systemName: "checkmark").accessibilityHidden(true)
            } else {
                Button(action: choose) { AccountName(account: account).frame(minHeight: 44) }
                    .buttonStyle(.borderless)
                    .accessibilityLabel(label)
                Spacer()
                if isWorking { ProgressView() }
                Button(role: .destructive, action: remove) { Text(ui: "Remove").frame(minWidth: 44, minHeight: 44) }
                    .buttonStyle(.borderless)
                    .accessibilityLabel(Text(ui: "Remove \(Text(account))"))
            }
        }
    }

    private var label: Text {
        account.state == .signedOut
            ? Text(ui: "Sign in to \(Text(account)) again") : Text(ui: "Switch to \(Text(account))")
    }
}

struct AccountName: View {
    let account: DeviceAccount

    var body: some View {
        VStack(alignment: .leading, spacing: 2) {
            if account.email ?? account.phone != nil, let name = account.name { Text(verbatim: name) }
            Text(account).textStyle(account.name == nil ? .body : .footnote)
            if account.state == .signedOut {
                Text(ui: "Signed out").textStyle(.footnote).foregroundStyle(.secondary)
            }
        }
        .multilineTextAlignment(.leading)
        .accessibilityElement(children: .combine)
    }
}
