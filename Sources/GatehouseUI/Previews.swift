import GatehouseModel
import SwiftUI

// What needs no account. Whole screens are drawn by `make screens`.

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
