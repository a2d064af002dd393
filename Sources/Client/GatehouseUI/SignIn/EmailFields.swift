import GatehouseModel
import SwiftUI

struct EmailFields: View {
    @Binding var form: EmailAuthForm
    @Binding var password: String
    @Binding var confirmation: String
    /// nil for all.
    var fields: [EmailAuthForm.Field]?
    let focus: FocusState<EmailAuthForm.Field?>.Binding
    let touched: @MainActor () -> Void
    let submit: @MainActor () -> Void

    private var shown: [EmailAuthForm.Field] { fields ?? form.fields }

    var body: some View {
        ForEach(shown, id: \.self) { field in
            VStack(alignment: .leading, spacing: 4) {
                entry(field)
                    .frame(minHeight: 44)
                    .focused(focus, equals: field)
                    .simultaneousGesture(TapGesture().onEnded { touched() })
                    .submitLabel(field == shown.last ? .go : .next)
                    .onSubmit { leave(field) }
                FieldHint(text: form.hint(for: field, password: password, confirmation: confirmation))
            }
        }
    }

    @ViewBuilder private func entry(_ field: EmailAuthForm.Field) -> some View {
        switch field {
        case .name:
            TextField(text: $form.name) { Text(ui: "Name") }
                .textContentType(.givenName)
                .typesName()
        case .email:
            TextField(text: $form.email) { Text(ui: "Email") }
                // The system offers passkeys, and saves new passwords, only for a user name.
                .textContentType(.username)
                .typesEmail()
        case .password:
            SecureField(text: $password) { Text(ui: "Password") }
                .textContentType(form.mode == .signUp ? .newPassword : .password)
        case .confirmation:
            SecureField(text: $confirmation) { Text(ui: "Confirm Password") }
                .textContentType(.newPassword)
        }
    }

    private func leave(_ field: EmailAuthForm.Field) {
        let next = shown.drop { $0 != field }.dropFirst().first
        if let next { focus.wrappedValue = next } else { submit() }
    }
}
