import SwiftUI

/// A team with the button to follow it.
struct TeamRow: View {
    let team: Team
    let isFollowed: Bool
    let toggle: @MainActor () -> Void
    @Environment(\.dynamicTypeSize) private var textSize

    var body: some View {
        if textSize.isAccessibilitySize {
            VStack(alignment: .leading) {
                name
                button
            }
        } else {
            HStack {
                name
                Spacer()
                button
            }
        }
    }

    private var name: some View { Text(verbatim: team.name) }

    private var button: some View {
        Button(action: toggle) {
            Image(systemName: isFollowed ? "checkmark.circle.fill" : "plus")
                .foregroundStyle(.tint)
                .frame(minWidth: 44, minHeight: 44)
                .contentShape(Rectangle())
        }
        .buttonStyle(.plain)
        .accessibilityLabel(
            isFollowed
                ? Text("Unfollow \(team.name)", bundle: .module) : Text("Follow \(team.name)", bundle: .module))
    }
}
