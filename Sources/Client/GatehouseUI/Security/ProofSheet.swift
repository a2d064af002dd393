import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

/// For a sign-in's second factor, and a change's fresh proof.
struct ProofSheet: ViewModifier {
    let account: AuthManager
    /// No other account sheet covers the screen.
    let isOnTop: Bool

    func body(content: Content) -> some View {
        content.sheet(isPresented: isPresented) {
            // Each question needs its own model.
            if let question { ProofView(question: question, manager: account).id(question).sheetSize() }
        }
    }

    private var question: ProofQuestion? { account.proofQuestion ?? account.secondFactor }

    private var isPresented: Binding<Bool> {
        Binding {
            isOnTop && question != nil
        } set: {
            // The user swiped the sheet away.
            if !$0, let question { ProofModel(question: question, manager: account).cancel() }
        }
    }
}

private struct ProofView: View {
    @Environment(\.passkeys) private var passkeys
    @State private var model: ProofModel
    @State private var typed = ""
    // Discarded with the screen.
    @State private var password = ""
    @State private var asksToStartOver = false
    @FocusState private var isFocused: Bool

    init(question: ProofQuestion, manager: AuthManager) {
        _model = State(initialValue: ProofModel(question: question, manager: manager))
    }

    var body: some View {
        NavigationStack {
            content
                .navigationTitle(title)
                .inlineTitle()
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) {
                        Button {
                            model.cancel()
                        } label: {
                            Text(ui: "Cancel")
                        }
                        .disabled(model.isBusy)
                    }
                }
                .overlay {
                    if model.phase == .checking { BusyOverlay(text: Text(ui: "Checking…")) }
                }
        }
        .interactiveDismissDisabled(model.isBusy)
        .onAppear {
            isFocused = true
            model.appeared()
        }
        .onChange(of: typed) {
            model.code = typed
            typed = model.code
        }
        .onChange(of: model.code) {
            typed = model.code
            if isComplete { submit() }
        }
        .onChange(of: model.method) {
            password = ""
            isFocused = true
        }
        .task(id: model.method) { await model.load() }
        .onDisappear { password = "" }
    }

    private var title: Text { Text(ui: "Confirm It's You") }

    /// Only an app's code has a known length.
    private var isComplete: Bool { if case .app? = model.method { model.canSubmit() } else { false } }

    @ViewBuilder private var content: some View {
        if let code = model.texted {
            CodeView(model: code, startOver: nil) {
                otherWays
                startOverSection
            }
        } else {
            form
        }
    }

    private var form: some View {
        Form {
            Section {
                field
            } header: {
                Text(model: model.explanation)
                    .textStyle(.subheadline)
                    .textCase(nil)
                    .frame(maxWidth: .infinity, alignment: .leading)
                    .padding(.bottom, 8)
            } footer: {
                if let message = model.message { MessageView(message: message, retry: submit) }
            }
            if model.method != nil {
                Section {
                    Button(action: submit) { Text(ui: "Continue") }
                        .buttonStyle(WideButtonStyle(.prominent))
                        .disabled(!model.canSubmit(password: password))
                        .accessibilityIdentifier("submit")
                }
                .clearRows()
            }
            otherWays
            startOverSection
        }
        .scrollDismissesKeyboard(.interactively)
    }

    @ViewBuilder private var startOverSection: some View {
        if model.canStartOver {
            Section {
                startOver
            } footer: {
                Text(ui: "If none of these work, start over with this email. Your current account is kept.")
            }
            .disabled(model.isBusy)
        }
    }

    @ViewBuilder private var otherWays: some View {
        let others = model.otherMethods.filter { passkeys != nil || !$0.needsAuthenticator }
        if !others.isEmpty {
            Section {
                ForEach(others, id: \.self) { method in
                    Button {
                        model.use(method)
                    } label: {
                        Text(model: method.title).frame(minHeight: 44)
                    }
                    .disabled(model.isBusy)
                }
            }
        }
    }

    private var startOver: some View {
        Button(role: .destructive) {
            asksToStartOver = true
        } label: {
            Text(ui: "Start Over with This Email").frame(minHeight: 44)
        }
        .confirmationDialog(
            Text(ui: "Start Over with This Email"), isPresented: $asksToStartOver, titleVisibility: .visible
        ) {
            Button(role: .destructive) {
                model.startOver()
            } label: {
                Text(ui: "Start Over with This Email")
            }
            Button(role: .cancel) {
            } label: {
                Text(ui: "Cancel")
            }
        } message: {
            Text(model: ProofModel.startOverWarning)
        }
    }

    @ViewBuilder private var field: some View {
        switch model.method {
        case .app:
            code.textContentType(.oneTimeCode).typesDigits()
        case .recoveryCode:
            // The system would offer a one-time code from a message.
            code.typesEmail()
        case .password:
            SecureField(text: $password) { Text(ui: "Password") }
                .textContentType(.password)
                .focused($isFocused)
                .submitLabel(.go)
                .onSubmit(submit)
                .frame(minHeight: 44)
                .disabled(model.isBusy)
        case .phone, .key, .passkey, nil: EmptyView()
        }
    }

    private var code: some View {
        TextField(text: $typed) { Text(ui: "Code") }
            .textStyle(.title3).monospacedDigit()
            .multilineTextAlignment(.center)
            .focused($isFocused)
            .submitLabel(.go)
            .onSubmit(submit)
            .frame(minHeight: 44)
            .disabled(model.isBusy)
    }

    private func submit() {
        guard model.canSubmit(password: password) else { return }
        isFocused = false
        model.submit(password: password, with: passkeys)
    }
}

extension ProofMethod {
    fileprivate var needsAuthenticator: Bool {
        switch self {
        case .key, .passkey: true
        case .app, .phone, .recoveryCode, .password: false
        }
    }
}
