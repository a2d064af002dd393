import Gatehouse
import GatehouseModel
import SwiftUI

/// Tells the user to open the confirmation mail of a sign-up.
struct CheckMailView: View {
    let email: String
    @Environment(\.accountCalls) private var calls
    @State private var attempt = 0
    @State private var message: SignInMessage?
    @State private var isSent = false

    var body: some View {
        MailNotice(email: email) {
            if let message { MessageView(message: message) }
            if isSent { Text(ui: "The email is on its way.").font(.footnote).foregroundStyle(.secondary) }
            if calls.resendConfirmation != nil {
                Button {
                    attempt += 1
                } label: {
                    Text(ui: "Send Again")
                }
                .buttonStyle(WideButtonStyle())
            }
        }
        .attempt(attempt) {
            (message, isSent) = (nil, false)
            do {
                try await calls.resendConfirmation?(email)
                isSent = true
            } catch {
                message = SignInMessage(.email, error)
            }
        }
    }
}

/// Asks for the email address of a password reset. Does not reveal whether it has an account.
struct ForgotPasswordView: View {
    @Environment(\.accountCalls) private var calls
    @State private var form = EmailAuthForm()
    @State private var attempt = 0
    @State private var isWorking = false
    @State private var isSent = false
    @State private var message: SignInMessage?

    init(email: String) {
        var form = EmailAuthForm()
        form.email = email
        _form = State(initialValue: form)
    }

    var body: some View {
        // Not a Group, whose tasks would restart with each branch.
        ZStack {
            if isSent { MailNotice(email: form.trimmedEmail) { EmptyView() } } else { question }
        }
        .navigationTitle(Text(ui: "Forgot password?"))
        .inlineTitle()
        .attempt(attempt) {
            (isWorking, message) = (true, nil)
            do {
                try await calls.sendPasswordMail?(form.trimmedEmail)
                isSent = true
            } catch {
                message = SignInMessage(.email, error)
            }
            isWorking = false
        }
    }

    private var isValid: Bool { form.isValid(.email, password: "", confirmation: "") && !isWorking }

    private var question: some View {
        Form {
            Section {
                VStack(alignment: .leading, spacing: 4) {
                    TextField(text: $form.email) { Text(ui: "Email") }
                        .textContentType(.emailAddress)
                        .typesEmail()
                        .submitLabel(.send)
                        .onSubmit { send() }
                        .frame(minHeight: 44)
                    FieldHint(text: form.hint(for: .email, password: "", confirmation: ""))
                }
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    Text(ui: "We will send you an email with a link to set a new password.")
                    if let message { MessageView(message: message, retry: send) }
                }
            }
            Section {
                Button(action: send) { Text(ui: "Send Email") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!isValid)
            }
        }
        .scrollDismissesKeyboard(.interactively)
    }

    private func send() { if isValid { attempt += 1 } }
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
