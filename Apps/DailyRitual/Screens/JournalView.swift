public import Foundation
import Gatehouse
import GatehouseUI
public import SwiftUI

/// Today's page for everyone, and the onboarding after the first sign-in.
///
/// Requires `gatehouse(_:branding:)` above.
public struct JournalView: View {
    @State private var model: JournalModel
    private let date: Date

    public init(profile: ProfileCalls, date: Date) {
        _model = State(initialValue: JournalModel(calls: profile))
        self.date = date
    }

    public var body: some View { JournalScreen(model: model, date: date) }
}

private struct JournalScreen: View {
    private struct Load: Hashable {
        let person: UUID?
        let number: Int
    }

    @Environment(AuthManager.self) private var manager
    let model: JournalModel
    let date: Date
    @State private var attempt = 0

    var body: some View {
        NavigationStack {
            switch model.phase {
            case .onboarding(let profile):
                OnboardingView(model: model, name: profile.name ?? profile.summary.firstName ?? "")
            case .plain: today(nil)
            case .ready(let profile): today(profile)
            }
        }
        .task(id: Load(person: manager.user?.id, number: attempt)) { await model.load(manager.user?.id) }
        .profileSections { _ in journal }
        .passkeySignIn(.first)
    }

    /// The journal's section of the profile screen.
    @ViewBuilder private var journal: some View {
        if case .ready(let profile) = model.phase, let timezone = profile.timezone {
            Section {
                Text(verbatim: timezone)
            } header: {
                Text("Time Zone", bundle: .module)
            }
        }
    }

    private func today(_ profile: Profile?) -> some View {
        List {
            Section {
                Text(date, format: .dateTime.weekday(.wide).day().month(.wide)).foregroundStyle(.secondary)
                if let name = profile?.name { Text("Good to see you, \(name)", bundle: .module).font(.headline) }
                if profile?.isPremium == true {
                    Label {
                        Text("Premium", bundle: .module)
                    } icon: {
                        star
                    }
                }
                if let message { Text(LocalizedStringKey(message), bundle: .module).foregroundStyle(.secondary) }
                if model.hasFailed {
                    Button {
                        attempt += 1
                    } label: {
                        Text("Try Again", bundle: .module).frame(minHeight: 44)
                    }
                }
            }
            Section {
                Text("What are you grateful for?", bundle: .module)
                Text("What matters most today?", bundle: .module)
                Text("How do you want to feel tonight?", bundle: .module)
            }
        }
        .navigationTitle(Text("Today", bundle: .module))
        .toolbar {
            ToolbarItem(placement: .topBarTrailing) { ProfileButton() }
        }
    }

    private var star: some View { Image(systemName: "star.fill").foregroundStyle(Branding.dailyRitual.accent) }

    private var message: String? {
        if let error = manager.error { return error.message }
        if model.hasFailed { return "Something went wrong. Please try again." }
        guard case .endedByServer = manager.signedOutReason else { return nil }
        return "Session expired. Please sign in again."
    }
}
