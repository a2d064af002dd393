import SwiftUI

/// Selects the league to list.
struct LeagueMenu: View {
    @Bindable var model: HomeModel
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        NavigationStack {
            List {
                row(nil, Text("All Leagues", bundle: .module))
                ForEach(model.leagues) { league in
                    row(league.id, Text(verbatim: league.name))
                }
            }
            .navigationTitle(Text("Leagues", bundle: .module))
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .topBarTrailing) {
                    Button {
                        dismiss()
                    } label: {
                        Text("Done", bundle: .module)
                    }
                }
            }
        }
    }

    private func row(_ league: String?, _ name: Text) -> some View {
        let isChosen = model.chosenLeague == league
        return Button {
            model.chosenLeague = league
            dismiss()
        } label: {
            HStack {
                name.foregroundStyle(.primary)
                Spacer()
                if isChosen { Image(systemName: "checkmark").accessibilityHidden(true) }
            }
            .frame(minHeight: 44)
        }
        .accessibilityAddTraits(isChosen ? .isSelected : [])
    }
}
