import Gatehouse
import GatehouseModel
public import SwiftUI

/// Asks whoever came by a recovery mail for a new password; shown while `AuthManager.needsNewPassword`.
public struct NewPasswordView: View {
    @Environment(AuthManager.self) private var manager
    @Environment(\.accountCalls) private var calls
    @Environment(\.dismiss) private var dismiss
    // They end with the attempt that used them.
    @State private var password = ""
    @State private var confirmation = ""
    @State private var attempt = 0
    @State private var isWorking = false
    @State private var message: SignInMessage?
    private let form = EmailAuthForm(mode: .signUp)

    public init() {}

    public var body: some View {
        NavigationStack {
            Form {
                Section {
                    field($password, .password, Text(ui: "New Password"))
                    field($confirmation, .confirmation, Text(ui: "Confirm Password"))
                } footer: {
                    if let message { MessageView(message: message) }
                }
                .disabled(isWorking)
                Section {
                    Button {
                        attempt += 1
                    } label: {
                        Text(ui: "Save Password")
                    }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!canSave)
                }
            }
            .navigationTitle(Text(ui: "New Password"))
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button(action: leave) { Text(ui: "Not Now") }.disabled(isWorking)
                }
            }
        }
        .task(id: attempt) { await save() }
        .interactiveDismissDisabled(isWorking)
    }

    private var canSave: Bool {
        !isWorking
            && [.password, .confirmation].allSatisfy {
                form.isValid($0, password: password, confirmation: confirmation)
            }
    }

    private func field(_ text: Binding<String>, _ field: EmailAuthForm.Field, _ label: Text) -> some View {
        VStack(alignment: .leading, spacing: 4) {
            SecureField(text: text) { label }.textContentType(.newPassword).frame(minHeight: 44)
            FieldHint(text: form.hint(for: field, password: password, confirmation: confirmation))
        }
    }

    private func save() async {
        guard attempt > 0, canSave else { return }
        (isWorking, message) = (true, nil)
        do {
            try await calls.setPassword?(password)
            leave()
        } catch {
            message = SignInMessage(.email, error)
        }
        (password, confirmation, isWorking) = ("", "", false)
    }

    private func leave() {
        manager.needsNewPassword = false
        dismiss()
    }
}
