import SwiftUI

/// The names of the favourite teams on the profile screen, with a link to change them.
struct TeamsSection: View {
    let model: HomeModel

    var body: some View {
        Section {
            switch model.phase {
            case .loading: ProgressView()
            case .failed:
                Text("The teams couldn't be loaded.", bundle: .module).foregroundStyle(.secondary)
                Button {
                    Task { await model.load() }
                } label: {
                    Text("Try Again", bundle: .module).frame(minHeight: 44)
                }
            case .loaded: teams
            }
        } header: {
            Text("Favorite Teams", bundle: .module)
        }
    }

    @ViewBuilder private var teams: some View {
        if model.isLoaded, model.favorites.isEmpty {
            Text("No favorite teams yet", bundle: .module).foregroundStyle(.secondary)
        }
        ForEach(model.namedFavorites, id: \.id) { Text(verbatim: $0.name) }
        NavigationLink {
            TeamPicker(leagues: model.leagues, editor: model.edit())
        } label: {
            Text("Edit Teams", bundle: .module)
        }
        .disabled(!model.isLoaded)
    }
}
