import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

/// The names of the favourite teams, with a link to change them.
struct TeamsSection: View {
    let model: ProfileModel
    @Environment(\.accountCalls) private var calls
    @State private var teams: [LeagueTeam] = []

    var body: some View {
        Section {
            if model.isLoaded, favorites.isEmpty {
                Text(ui: "No favorite teams yet").foregroundStyle(.secondary)
            }
            ForEach(favorites, id: \.self) { id in
                Text(verbatim: teams.first { $0.id == id }?.name ?? id)
            }
            if let load = calls.teams {
                NavigationLink {
                    TeamPicker(model: model, chosen: favorites, load: load)
                } label: {
                    Text(ui: "Edit Teams")
                }
                // Saving sends the complete list, so it must be loaded first.
                .disabled(!model.isLoaded)
            }
        } header: {
            // Not on the section, whose task would run once per row.
            Text(ui: "Favorite Teams").task {
                // Lost: why there are no names. The section shows ids instead.
                teams = (try? await calls.teams?()) ?? []
            }
        }
    }

    private var favorites: [String] { model.user?.favoriteTeams ?? [] }
}

/// Selects favourite teams, searchable by name, city or abbreviation. At most 30.
struct TeamPicker: View {
    private enum Phase {
        case loading, failed
        case loaded([LeagueTeam])
    }

    let model: ProfileModel
    let load: @Sendable () async throws -> [LeagueTeam]
    @Environment(\.dismiss) private var dismiss
    @State private var chosen: [String]
    @State private var phase = Phase.loading
    @State private var search = ""
    @State private var attempt = 0
    @State private var saving = 0

    init(model: ProfileModel, chosen: [String], load: @escaping @Sendable () async throws -> [LeagueTeam]) {
        (self.model, self.load) = (model, load)
        _chosen = State(initialValue: chosen)
    }

    var body: some View {
        // Not a Group, whose tasks would restart with each branch.
        ZStack {
            switch phase {
            case .loading: ProgressView()
            case .failed:
                LoadFailure { attempt += 1 }
            case .loaded(let teams): list(teams)
            }
        }
        .navigationTitle(Text(ui: "Edit Teams"))
        .inlineTitle()
        .toolbar {
            ToolbarItem(placement: .confirmationAction) {
                Button {
                    saving += 1
                } label: {
                    Text(ui: "Save")
                }
                .disabled(model.phase != .showing || !model.isLoaded || chosen == model.user?.favoriteTeams)
            }
        }
        .task(id: attempt) {
            phase = .loading
            do { phase = .loaded(try await load()) } catch { phase = .failed }
        }
        .attempt(saving) {
            await model.save(favoriteTeams: chosen)
            if model.phase == .showing { dismiss() }
        }
    }

    private func list(_ teams: [LeagueTeam]) -> some View {
        List {
            let found = teams.filter(isFound)
            if found.isEmpty {
                Text(ui: "No teams found").foregroundStyle(.secondary)
            }
            ForEach(found, id: \.id) { team in
                Button {
                    toggle(team.id)
                } label: {
                    HStack {
                        Text(verbatim: team.name).foregroundStyle(.primary)
                        Spacer()
                        if chosen.contains(team.id) {
                            Image(systemName: "checkmark").accessibilityHidden(true)
                        }
                    }
                    .frame(minHeight: 44)
                }
                .accessibilityAddTraits(chosen.contains(team.id) ? .isSelected : [])
                .disabled(chosen.count >= 30 && !chosen.contains(team.id))
            }
        }
        .searchable(text: $search, prompt: Text(ui: "Search teams"))
    }

    private func isFound(_ team: LeagueTeam) -> Bool {
        search.isEmpty
            || [team.name, team.city, team.abbreviation].contains { $0.localizedCaseInsensitiveContains(search) }
    }

    private func toggle(_ id: String) {
        if chosen.contains(id) { chosen.removeAll { $0 == id } } else { chosen.append(id) }
    }
}

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
