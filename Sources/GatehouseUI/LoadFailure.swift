import SwiftUI

/// The notice that a list could not be loaded.
struct LoadFailure: View {
    let retry: @MainActor () -> Void

    var body: some View {
        VStack(spacing: 12) {
            Text(ui: "Something went wrong. Please try again.")
                .foregroundStyle(.secondary)
                .multilineTextAlignment(.center)
            Button(action: retry) { Text(ui: "Retry").frame(minWidth: 44, minHeight: 44) }
        }
        .padding(24)
        .onAppear { announce("Something went wrong. Please try again.") }
    }
}
