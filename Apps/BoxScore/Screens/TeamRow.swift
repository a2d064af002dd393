import Gatehouse
import SwiftUI

/// A team, and the button that follows it.
struct TeamRow: View {
    let team: LeagueTeam
    let isFollowed: Bool
    let toggle: @MainActor () -> Void

    var body: some View {
        HStack {
            Text(verbatim: team.name)
            Spacer()
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
}
