import AppSupport
import AuthenticationServices
import BoxScoreScreens
import DailyRitualScreens
import DevStack
import Foundation
import GatehouseUI
import GatehouseWire
import SwiftUI

struct PhoneRoot: View {
    let app: ReferenceApp
    let account: AuthManager
    /// The journal's.
    let date: Date
    let sheets: SystemSheets

    var body: some View {
        @Bindable var apple = sheets.apple
        @Bindable var browser = sheets.browser
        @Bindable var passkeys = sheets.passkeys.sheet
        screens
            .belowSystemSheets()
            .sheet(isPresented: $apple.isOpen) { AppleSheet(sheets: sheets) }
            .sheet(isPresented: $browser.isOpen) { BrowserSheet(app: app, sheet: sheets.browser) }
            .sheet(isPresented: $passkeys.isOpen) { PasskeySheet(passkeys: sheets.passkeys) }
    }

    @ViewBuilder private var screens: some View {
        switch app {
        case .boxScore:
            HomeView { [gateway = account.gateway] in try await gateway?.teams() ?? [] }
                .gatehouse(account, branding: .boxScore, passkeys: sheets.passkeys)
        case .dailyRitual:
            JournalView(profile: ProfileCalls(account), date: date)
                .gatehouse(account, branding: .dailyRitual, passkeys: sheets.passkeys)
        }
    }
}

/// Offers all test accounts. In English, like the simulated provider's pages.
private struct AppleSheet: View {
    let sheets: SystemSheets
    @State private var email = ""

    private var people: [Person] { Person.cast(of: .apple) }

    var body: some View {
        NavigationStack {
            List {
                Section {
                    ForEach(people.filter { $0.address != .typed }, id: \.id) { person in
                        Button {
                            choose(person)
                        } label: {
                            PersonLabel(person: person)
                        }
                        .buttonStyle(.plain)
                    }
                } header: {
                    Text(verbatim: "Who signs in? This stands in for Apple")
                }
                ForEach(people.filter { $0.address == .typed }, id: \.id) { typed($0) }
                Section {
                    Button(role: .destructive) {
                        sheets.apple.end(.failure(ASAuthorizationError(.failed)))
                    } label: {
                        Text(verbatim: "Let the sheet fail").frame(minHeight: 44)
                    }
                }
            }
            .navigationTitle(Text(verbatim: "Sign in with Apple"))
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button {
                        sheets.apple.isOpen = false
                    } label: {
                        Text(verbatim: "Cancel")
                    }
                }
            }
        }
    }

    private func typed(_ person: Person) -> some View {
        Section {
            PersonLabel(person: person)
            TextField(text: $email) { Text(verbatim: "Email address") }
                .textContentType(.emailAddress)
                .keyboardType(.emailAddress)
                .textInputAutocapitalization(.never)
                .autocorrectionDisabled()
                .onSubmit { choose(person) }
                .frame(minHeight: 44)
            Button {
                choose(person)
            } label: {
                Text(verbatim: "Continue with this address").frame(minHeight: 44)
            }
        } footer: {
            if let problem = sheets.problem { Text(verbatim: problem).foregroundStyle(.red) }
        }
    }

    private func choose(_ person: Person) {
        let typed = person.address == .typed ? email : nil
        sheets.apple.end(.success(SystemSheets.Choice(person: person.id, email: typed)))
    }
}

private struct PersonLabel: View {
    let person: Person

    var body: some View {
        VStack(alignment: .leading, spacing: 2) {
            Text(verbatim: person.title).font(.headline)
            Text(verbatim: person.explanation).font(.footnote).foregroundStyle(.secondary)
        }
        .frame(minHeight: 44, alignment: .leading)
    }
}

/// A link, because browsers open windows only from a tap.
private struct BrowserSheet: View {
    let app: ReferenceApp
    let sheet: OpenSheet<URL, URL>

    var body: some View {
        VStack(spacing: 20) {
            Text(verbatim: "Continue in the browser")
                .font(.title2.bold())
                .accessibilityAddTraits(.isHeader)
            if let address = sheet.question {
                Text(verbatim: "\(app.rawValue) wants to open \(address.host() ?? "a page") to sign you in.")
                    .font(.subheadline)
                    .foregroundStyle(.secondary)
                    .multilineTextAlignment(.center)
                Link(destination: address) {
                    Text(verbatim: "Open the browser").frame(maxWidth: .infinity, minHeight: 44)
                }
                .buttonStyle(.borderedProminent)
            }
            Button(role: .cancel) {
                sheet.isOpen = false
            } label: {
                Text(verbatim: "Cancel").frame(minWidth: 44, minHeight: 44)
            }
        }
        .padding(24)
        .presentationDetents([.medium])
    }
}
