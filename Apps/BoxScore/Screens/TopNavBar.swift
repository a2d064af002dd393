import GatehouseUI
import SwiftUI

/// The menu, the app's name, and the profile button.
struct TopNavBar: View {
    let onMenuTap: @MainActor () -> Void
    let onProfileTap: @MainActor () -> Void

    var body: some View {
        HStack {
            Button(action: onMenuTap) {
                Image(systemName: "line.3.horizontal")
                    .font(.title2)
                    .frame(minWidth: 44, minHeight: 44)
                    .contentShape(Rectangle())
            }
            .buttonStyle(.plain)
            .accessibilityLabel(Text("Menu", bundle: .module))
            Spacer()
            Text(verbatim: "BoxScore")
                .font(.headline)
                .accessibilityAddTraits(.isHeader)
            Spacer()
            ProfileButton(action: onProfileTap)
        }
        .padding(.horizontal, 16)
        .frame(minHeight: 44)
        // Limited like the system's own bars.
        .dynamicTypeSize(...DynamicTypeSize.xxxLarge)
    }
}
