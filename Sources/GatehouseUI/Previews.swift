import GatehouseModel
import SwiftUI

// Previews without an account. Whole screens in each state are in Apps/BoxScore/Previews, because they need the
// in-memory accounts of GatehouseTesting, which apps do not ship.

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
