import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

/// Tells the user to open the confirmation mail of a sign-up.
struct CheckMailView: View {
    @State private var model: MailModel

    init(email: String, manager: AuthManager) {
        _model = State(initialValue: MailModel(.confirmation, email: email, manager: manager))
    }

    var body: some View {
        MailNotice(email: model.form.trimmedEmail) {
            if let message = model.message { MessageView(message: message) }
            if model.phase == .sent {
                Text(ui: "The email is on its way.").font(.footnote).foregroundStyle(.secondary)
            }
            Button {
                model.send()
            } label: {
                Text(ui: "Send Again")
            }
            .buttonStyle(WideButtonStyle())
            .disabled(!model.canSend)
        }
    }
}

/// Asks for the email address of a password reset. Does not reveal whether it has an account.
struct ForgotPasswordView: View {
    @State private var model: MailModel

    init(email: String, manager: AuthManager) {
        _model = State(initialValue: MailModel(.passwordReset, email: email, manager: manager))
    }

    var body: some View {
        Group {
            if model.phase == .sent { MailNotice(email: model.form.trimmedEmail) { EmptyView() } } else { question }
        }
        .navigationTitle(Text(ui: "Forgot password?"))
        .inlineTitle()
    }

    private var question: some View {
        Form {
            Section {
                VStack(alignment: .leading, spacing: 4) {
                    TextField(text: $model.form.email) { Text(ui: "Email") }
                        .textContentType(.emailAddress)
                        .typesEmail()
                        .submitLabel(.send)
                        .onSubmit { model.send() }
                        .frame(minHeight: 44)
                        .disabled(model.phase == .working)
                    FieldHint(text: model.form.hint(for: .email, password: "", confirmation: ""))
                }
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    Text(ui: "We will send you an email with a link to set a new password.")
                    if let message = model.message { MessageView(message: message) { model.send() } }
                }
            }
            Section {
                Button {
                    model.send()
                } label: {
                    Text(ui: "Send Email")
                }
                .buttonStyle(WideButtonStyle(.prominent))
                .disabled(!model.canSend)
            }
            .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
    }
}

/// "Check your email", with the address.
struct MailNotice<Actions: View>: View {
    let email: String
    let actions: Actions
    @ScaledMetric(relativeTo: .title2) private var symbolSize: CGFloat = 56

    init(email: String, @ViewBuilder actions: () -> Actions) {
        self.email = email
        self.actions = actions()
    }

    var body: some View {
        ScrollView {
            VStack(spacing: 16) {
                Image(systemName: "envelope.badge")
                    .font(.system(size: symbolSize))
                    .foregroundStyle(.tint)
                    .accessibilityHidden(true)
                Text(ui: "Check your email")
                    .font(.title2.bold())
                    .accessibilityAddTraits(.isHeader)
                Text(ui: "If \(email) can be used here, we have sent a link to it. Open it on this device.")
                    .font(.subheadline)
                    .foregroundStyle(.secondary)
                actions
            }
            .multilineTextAlignment(.center)
            .padding(24)
        }
        .onAppear { announce("Check your email") }
    }
}
