import Gatehouse
import GatehouseModel
public import SwiftUI

/// The signed-in user's profile; for an anonymous user, the login screen. Requires `gatehouse(_:branding:)` above.
///
/// ![Name and email, the app's sections, and the account's screens.](ProfileView)
///
/// `accountSheet(isPresented:)` presents and closes it. Close a custom sheet when `AuthManager.isLoggedIn` changes.
public struct ProfileView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View {
        WithAccount { account in
            if account.isAnonymous {
                LoginView()
            } else {
                ProfileScreen(model: ProfileModel(manager: account)).modifier(AccountQuestions())
            }
        }
    }
}

private struct ProfileScreen: View {
    @Environment(\.dismiss) private var dismiss
    @Environment(\.parts) private var parts
    @Environment(AuthManager.self) private var manager
    @State private var model: ProfileModel
    @State private var asksToSignOut = false
    @State private var asksToDelete = false
    @State private var showsAlert = false
    @State private var alert: ProfileAlert?

    init(model: ProfileModel) { _model = State(initialValue: model) }

    var body: some View {
        NavigationStack {
            list
                .navigationTitle(Text(ui: "Profile"))
                .inlineTitle()
                .toolbar {
                    ToolbarItem(placement: .closing) {
                        Button {
                            dismiss()
                        } label: {
                            Text(ui: "Done")
                        }
                        .disabled(isDeleting)
                    }
                }
                .refreshable { await manager.refreshProfile() }
        }
        .overlay {
            if let progress = model.progress { BusyOverlay(text: Text(model: progress)) }
        }
        .task { if !manager.isProfileLoaded, !manager.isLoading { manager.reloadProfile() } }
        .interactiveDismissDisabled(isDeleting)
        .alert(Text(model: alert?.title ?? ""), isPresented: $showsAlert) {
            Button {
                model.dismiss()
            } label: {
                Text(ui: "OK")
            }
        } message: {
            Text(model: alert?.message ?? "")
        }
        .onChange(of: model.phase) { _, phase in
            guard case .failed(let failure) = phase else { return }
            (alert, showsAlert) = (failure, true)
        }
    }

    private var isDeleting: Bool { model.phase == .deleting }

    private var list: some View {
        List {
            Section {
                if let user = model.user, let header = parts.profileHeader {
                    header(user)
                } else {
                    ProfileHeader(user: model.user)
                }
            }
            if let error = manager.error { Section { Text(model: error.content).foregroundStyle(.secondary) } }
            if let notices = model.user?.notices, !notices.isEmpty {
                Section {
                    ForEach(notices, id: \.self) { Text(model: $0) }
                } header: {
                    Text(ui: "About Your Account")
                }
            }
            if let user = model.user, let sections = parts.profileSections { sections(user) }
            AccountsSection(model: AccountsModel(manager: manager))
            Section { screens }
            Section {
                signOut
                delete
            }
            .disabled(model.phase != .showing)
        }
    }

    @ViewBuilder private var screens: some View {
        if model.canChange {
            NavigationLink {
                NameEditor(model: model, name: model.user?.firstName ?? "")
            } label: {
                Text(ui: "Edit Name")
            }
        }
        NavigationLink {
            SignInMethodsView()
        } label: {
            Text(ui: "Sign-In Methods")
        }
        NavigationLink {
            SecurityView()
        } label: {
            Text(ui: "Security")
        }
        NavigationLink {
            DevicesView(model: DevicesModel(manager: manager))
        } label: {
            Text(ui: "Devices")
        }
        if manager.serverSettings?.hasOAuthServer == true {
            NavigationLink {
                ConnectedAppsView()
            } label: {
                Text(ui: "Connected Apps")
            }
        }
    }

    private var signOut: some View {
        Button {
            asksToSignOut = true
        } label: {
            Text(ui: "Sign Out")
        }
        .confirmationDialog(Text(ui: "Sign Out"), isPresented: $asksToSignOut, titleVisibility: .visible) {
            Button(role: .destructive) {
                answer { $0.askToSignOut() }
            } label: {
                Text(ui: "Sign Out")
            }
            cancel
        } message: {
            Text(model: ProfileModel.signOutQuestion)
        }
    }

    private var delete: some View {
        Button(role: .destructive) {
            asksToDelete = true
        } label: {
            Text(ui: "Delete Account")
        }
        .confirmationDialog(Text(ui: "Delete Account"), isPresented: $asksToDelete, titleVisibility: .visible) {
            Button(role: .destructive) {
                answer { $0.askToDelete() }
            } label: {
                Text(ui: "Delete Account")
            }
            cancel
        } message: {
            Text(model: ProfileModel.deletionQuestion)
        }
    }

    private var cancel: some View {
        Button(role: .cancel) {
        } label: {
            Text(ui: "Cancel")
        }
    }

    private func answer(_ question: (ProfileModel) -> Void) {
        question(model)
        model.confirm()
    }
}

private struct ProfileHeader: View {
    let user: AuthenticatedUser?
    @Environment(\.branding) private var branding
    @Environment(\.onAccent) private var onAccent
    @ScaledMetric(relativeTo: .title2) private var size: CGFloat = 60

    var body: some View {
        HStack(spacing: 16) {
            Circle()
                .fill(branding.accent)
                .frame(width: size, height: size)
                .overlay {
                    Text(verbatim: user?.initial ?? "?")
                        .textStyle(.title2, .title, weight: .bold)
                        .foregroundStyle(onAccent)
                }
                .accessibilityHidden(true)
            VStack(alignment: .leading, spacing: 4) {
                if let name = user?.firstName { Text(verbatim: name).textStyle(.headline, .title) }
                if let address = user?.email?.shownAddress ?? user?.phone?.shownNumber {
                    Text(verbatim: address).textStyle(.subheadline).foregroundStyle(.secondary)
                }
            }
            Spacer()
        }
        .padding(.vertical, 8)
        .accessibilityElement(children: .combine)
    }
}
