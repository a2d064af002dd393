import GatehouseModel
import SwiftUI

struct EmailLabel: View {
    var body: some View {
        Label {
            Text(ui: "Sign in with Email")
        } icon: {
            Image(systemName: "envelope.fill")
        }
    }
}

struct PhoneLabel: View {
    var body: some View {
        Label {
            Text(ui: "Sign in with Phone")
        } icon: {
            Image(systemName: "phone.fill")
        }
    }
}

/// Avoids a second account.
struct LastMethod: View {
    let method: AuthMethod

    var body: some View {
        Group {
            if method == .email {
                Text(ui: "Last time you signed in with your email.")
            } else if method == .phone {
                Text(ui: "Last time you signed in with your phone number.")
            } else if method == .passkey {
                Text(ui: "Last time you signed in with a passkey.")
            } else {
                Text(ui: "Last time you signed in with \(method.name).")
            }
        }
        .textStyle(.footnote)
        .foregroundStyle(.secondary)
        .multilineTextAlignment(.center)
    }
}
