import GatehouseModel
public import SwiftUI

/// Signs in or up with a telephone number and a texted code. Requires `gatehouse(_:branding:)` above.
///
/// ``LoginView`` offers it if the server accepts telephone numbers.
public struct PhoneAuthView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { PhoneView(kind: .signIn, manager: $0) } }
}

/// Changes or sets the account's telephone number, with a texted code. Requires `gatehouse(_:branding:)` above.
public struct ChangePhoneView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { PhoneView(kind: .change, manager: $0) } }
}

/// Begins with the locale's region.
struct PhoneView: View {
    let kind: PhoneModel.Kind
    let manager: AuthManager
    @Environment(\.locale) private var locale

    var body: some View {
        PhoneScreen(
            model: PhoneModel(kind, region: PhoneForm.region(of: locale), manager: manager), manager: manager)
    }
}

private struct PhoneScreen: View {
    @Environment(\.dismiss) private var dismiss
    @State private var model: PhoneModel
    // Discarded with the screen.
    @State private var password = ""
    @FocusState private var isFocused: Bool
    private let manager: AuthManager

    init(model: PhoneModel, manager: AuthManager) {
        _model = State(initialValue: model)
        self.manager = manager
    }

    var body: some View {
        ZStack {
            if model.isFinished, model.offersCodes {
                RecoveryCodesView(manager: manager, replacing: false)
            } else if let code = model.code {
                CodeView(model: code, startOver: { model.startOver() })
            } else {
                form
            }
        }
        .navigationTitle(title)
        .inlineTitle()
        .onChange(of: model.isFinished) { if model.isFinished { finish() } }
        .onDisappear { password = "" }
    }

    private var title: Text {
        switch model.kind {
        case .signIn: Text(ui: "Sign in with Phone")
        case .change where model.current != nil: Text(ui: "Change Phone Number")
        case .change, .secondFactor: Text(ui: "Add Phone Number")
        }
    }

    private var form: some View {
        Form {
            Section {
                PhoneFields(form: $model.form, focus: $isFocused, submit: send).disabled(model.phase == .working)
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    explanation
                    if let message = model.message { MessageView(message: message, retry: send) }
                }
            }
            if model.asksForCurrent { passwordSection }
            Section {
                Button(action: send) { Text(ui: "Text Me a Code") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!model.canSend(password: password))
                    .accessibilityIdentifier("submit")
            }
            .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
        .navigationBarBackButtonHidden(model.phase == .working)
        .interactiveDismissDisabled(model.phase == .working)
        .onAppear { if model.form.typed.isEmpty { isFocused = true } }
    }

    @ViewBuilder private var explanation: some View {
        switch model.kind {
        case .signIn:
            Text(ui: "We'll text you a code to sign in. You don't need a password.")
        case .change:
            if let current = model.current { Text(ui: "Your phone number is \(current.shownNumber).") }
        case .secondFactor:
            Text(ui: "We'll text a code to this number when you sign in.")
        }
    }

    private var passwordSection: some View {
        Section {
            SecureField(text: $password) { Text(ui: "Current Password") }
                .textContentType(.password)
                .submitLabel(.done)
                .onSubmit(send)
                .frame(minHeight: 44)
        }
        .disabled(model.phase == .working)
    }

    private func finish() {
        switch model.kind {
        case .signIn: break
        case .change:
            announce("Your phone number has been changed.")
            dismiss()
        case .secondFactor:
            announce("The phone number has been added.")
            if !model.offersCodes { dismiss() }
        }
    }

    private func send() {
        guard model.canSend(password: password) else { return }
        isFocused = false
        model.send(password: password)
    }
}
