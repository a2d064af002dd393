import GatehouseModel
import SwiftUI

// What needs no account. Whole screens, in each state, are in Apps/BoxScore/Previews: they need the accounts in memory of
// GatehouseTesting, which no app ships.

#Preview("Buttons") {
    VStack(spacing: 12) {
        GoogleButton {}
        OrDivider()
        Button {
        } label: {
            Text(ui: "Create Account")
        }
        .buttonStyle(WideButtonStyle(.prominent))
    }
    .padding()
}

#Preview("Messages") {
    VStack {
        if let message = SignInMessage(.google, .noNetwork) { MessageView(message: message) {} }
        FieldHint(text: "Passwords do not match.")
        LoadFailure {}
    }
}

#Preview("Busy") {
    BusyOverlay(text: Text(ui: "Signing in..."))
}
