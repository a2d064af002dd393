import GatehouseModel
import SwiftUI

/// VoiceOver announces and focuses it.
struct MessageView: View {
    let message: SignInMessage
    var retry: (@MainActor () -> Void)?
    @Environment(AuthManager.self) private var manager: AuthManager?
    @AccessibilityFocusState private var isFocused: Bool

    var body: some View {
        VStack(spacing: 8) {
            Label {
                Text(model: message.content)
            } icon: {
                Image(systemName: "exclamationmark.triangle.fill")
            }
            .textStyle(.subheadline)
            .foregroundStyle(.red)
            .accessibilityElement(children: .combine)
            .accessibilityFocused($isFocused)
            if message.action == .retry, let retry {
                Button(action: retry) {
                    Text(ui: "Retry").frame(minWidth: 44, minHeight: 44)
                }
            }
            if let report = manager?.report(about: message) { ReportButton(report: report) }
        }
        // In a list's row, a tap on a plain button presses all of the row's.
        .buttonStyle(.borderless)
        .frame(maxWidth: .infinity)
        .onChange(of: message, initial: true) { announce(message.content) }
        // VoiceOver drops one of two simultaneous requests.
        .task(id: message) { isFocused = true }
    }
}

/// Below an invalid field.
struct FieldHint: View {
    let text: ModelText?

    var body: some View {
        if let text {
            Text(model: text)
                .textStyle(.footnote)
                .foregroundStyle(.red)
        }
    }
}
