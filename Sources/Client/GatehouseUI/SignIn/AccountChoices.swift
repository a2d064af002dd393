import Gatehouse
import GatehouseModel
import SwiftUI

struct AccountChoices: View {
    @State private var model: AccountsModel

    init(manager: AuthManager) { _model = State(initialValue: AccountsModel(manager: manager)) }

    var body: some View {
        // In a branch, the task would end with it.
        VStack(spacing: 12) {
            if !model.choices.isEmpty {
                Text(ui: "Choose an Account").textStyle(.headline).accessibilityAddTraits(.isHeader)
                ForEach(model.choices) { account in
                    Button {
                        model.choose(account)
                    } label: {
                        HStack {
                            AccountName(account: account)
                            if model.phase == .working(account.id) { ProgressView() }
                        }
                    }
                    .accessibilityLabel(Text(ui: "Switch to \(Text(account))"))
                }
                OrDivider()
            }
            if let failure = model.failure { Text(model: failure).foregroundStyle(.red) }
        }
        .buttonStyle(WideButtonStyle())
        .disabled(model.isWorking)
        .task { await model.load() }
        .onChange(of: model.phase) {
            if let failure = model.failure { announce(failure) }
        }
    }
}

struct AddingAccount: ViewModifier {
    let manager: AuthManager
    let isOn: Bool

    func body(content: Content) -> some View {
        content
            .onAppear { if isOn { manager.addingScreens += 1 } }
            .onDisappear { if isOn { manager.addingScreens -= 1 } }
    }
}
