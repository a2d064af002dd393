import GatehouseModel
import SwiftUI

struct LoadFailure: View {
    let retry: @MainActor () -> Void

    var body: some View {
        VStack(spacing: 12) {
            Text(model: Self.text)
                .foregroundStyle(.secondary)
                .multilineTextAlignment(.center)
            Button(action: retry) { Text(ui: "Retry").frame(minWidth: 44, minHeight: 44) }
        }
        .padding(24)
        .onAppear { announce(Self.text) }
    }

    static let text: ModelText = "Something went wrong. Please try again."
}
