import SwiftUI

/// Selects favourite teams by league, searchable by name, city or abbreviation. Asks before it drops changes.
struct TeamPicker: View {
    let leagues: [HomeModel.League]
    @Environment(\.dismiss) private var dismiss
    @State private var editor: TeamsEditor
    @State private var search = ""
    @State private var asksToDiscard = false
    @State private var showsAlert = false
    @State private var message = ""

    init(leagues: [HomeModel.League], editor: TeamsEditor) {
        self.leagues = leagues
        _editor = State(initialValue: editor)
    }

    var body: some View {
        list
            .confirmationDialog(
                Text("Discard Changes", bundle: .module), isPresented: $asksToDiscard, titleVisibility: .hidden
            ) {
                answers
            } message: {
                Text("Your changes are not saved yet.", bundle: .module)
            }
            .searchable(text: $search, prompt: Text("Search teams", bundle: .module))
            .navigationTitle(Text("Edit Teams", bundle: .module))
            .navigationBarTitleDisplayMode(.inline)
            .navigationBarBackButtonHidden(editor.hasChanges)
            .interactiveDismissDisabled(editor.hasChanges)
            .toolbar {
                if editor.hasChanges { ToolbarItem(placement: .cancellationAction) { cancel } }
                ToolbarItem(placement: .confirmationAction) { save }
            }
            .onChange(of: editor.phase) { _, phase in
                switch phase {
                case .saved: dismiss()
                case .failed(let text): (message, showsAlert) = (text, true)
                case .editing, .saving: break
                }
            }
            .alert(Text("The teams couldn't be saved.", bundle: .module), isPresented: $showsAlert) {
                Button {
                    editor.goOn()
                } label: {
                    Text("OK", bundle: .module)
                }
            } message: {
                Text(LocalizedStringKey(message), bundle: .module)
            }
    }

    @ViewBuilder private var answers: some View {
        Button(role: .destructive) {
            dismiss()
        } label: {
            Text("Discard Changes", bundle: .module)
        }
        Button(role: .cancel) {
        } label: {
            Text("Keep Editing", bundle: .module)
        }
    }

    private var list: some View {
        List {
            let found = leagues.map { $0.matching(search) }.filter { !$0.teams.isEmpty }
            if found.isEmpty {
                Text("No teams found", bundle: .module).foregroundStyle(.secondary)
            }
            ForEach(found) { league in
                Section {
                    ForEach(league.teams) { row($0) }
                } header: {
                    Text(verbatim: league.name)
                }
            }
        }
    }

    private func row(_ team: Team) -> some View {
        Button {
            editor.toggle(team)
        } label: {
            HStack {
                Text(verbatim: team.name).foregroundStyle(.primary)
                Spacer()
                if editor.isChosen(team) { Image(systemName: "checkmark").accessibilityHidden(true) }
            }
            .frame(minHeight: 44)
        }
        .accessibilityAddTraits(editor.isChosen(team) ? .isSelected : [])
        .disabled(!editor.canToggle(team))
    }

    private var save: some View {
        Button {
            editor.save()
        } label: {
            Text("Save", bundle: .module)
        }
        .disabled(!editor.canSave)
    }

    private var cancel: some View {
        Button {
            asksToDiscard = true
        } label: {
            Text("Cancel", bundle: .module)
        }
    }
}
