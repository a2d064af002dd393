import GatehouseModel
import SwiftUI

// The apps in Apps preview whole screens. `#Preview` needs Xcode; a PreviewProvider compiles without it.

struct ButtonPreviews: PreviewProvider {
    static var previews: some View {
        VStack(spacing: 12) {
            ProviderButton(method: .google) {}
            OrDivider()
            Button {
            } label: {
                Text(ui: "Create Account")
            }
            .buttonStyle(WideButtonStyle(.prominent))
        }
        .padding()
    }
}

struct MessagePreviews: PreviewProvider {
    static var previews: some View {
        VStack {
            if let message = SignInMessage(.google, .noNetwork) { MessageView(message: message) {} }
            FieldHint(text: "Passwords don't match.")
            LoadFailure {}
        }
    }
}

struct BusyPreviews: PreviewProvider {
    static var previews: some View { BusyOverlay(text: Text(ui: "Signing in…")) }
}
