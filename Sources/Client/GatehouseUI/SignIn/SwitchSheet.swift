import Foundation
import GatehouseModel
import SwiftUI

struct SwitchSheet: ViewModifier {
    let account: AuthManager
    /// No other account sheet covers the screen.
    let isOnTop: Bool

    func body(content: Content) -> some View {
        content.sheet(isPresented: isPresented) {
            if let question = account.switchQuestion {
                SwitchView(account: account, question: question).sheetSize()
            }
        }
    }

    private var isPresented: Binding<Bool> {
        Binding {
            isOnTop && account.switchQuestion != nil
        } set: {
            // The user swiped the sheet away.
            if !$0 { account.answerSwitch(false) }
        }
    }
}

private struct SwitchView: View {
    let account: AuthManager
    let question: SwitchQuestion

    var body: some View {
        QuestionPage(symbol: "person.fill", title: title) {
            message.foregroundStyle(.secondary)
        } answers: {
            Button {
                account.answerSwitch(true)
            } label: {
                question.leavesAnonymousAccount ? Text(ui: "Sign In") : Text(ui: "Switch Accounts")
            }
            .buttonStyle(WideButtonStyle(.prominent))
            Button {
                account.answerSwitch(false)
            } label: {
                stay.frame(minWidth: 44, minHeight: 44)
            }
        }
        .onAppear { account.switchAppeared() }
    }

    private var stay: Text { question.leavesAnonymousAccount ? Text(ui: "Cancel") : Text(ui: "Stay Signed In") }

    private var title: Text {
        question.leavesAnonymousAccount ? Text(ui: "Sign In to Your Account?") : Text(ui: "Switch Accounts?")
    }

    private var message: Text {
        if question.leavesAnonymousAccount {
            return Text(ui: "Anything you did as a guest will be lost, and you won't be able to get it back.")
        }
        let address = (question.user?.email ?? "").shownAddress
        return Text(
            ui:
                "The link is for \(address). If you switch, this device will be signed out of the account you're using now."
        )
    }
}
