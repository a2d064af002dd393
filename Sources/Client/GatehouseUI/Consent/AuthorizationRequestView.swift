import Foundation
import Gatehouse
public import GatehouseModel
public import SwiftUI

/// Asks whether an app or agent may access the account: who asks, from where, for what, and until when.
///
/// After an approval, opens the client's URL if the request came from a link on this device.
///
/// `gatehouse(_:branding:)` presents `AuthManager.authorizationRequest` with it. For your own place, push it onto a
/// navigation stack. Requires `gatehouse(_:branding:)` above.
public struct AuthorizationRequestView: View {
    private let request: AuthorizationRequest

    /// Creates the screen.
    public init(_ request: AuthorizationRequest) { self.request = request }

    public var body: some View { WithAccount { RequestPage(request: request, manager: $0).id(request) } }
}

struct RequestPage: View {
    private let manager: AuthManager
    @State private var model: AuthorizationRequestModel
    @State private var loads = 0

    init(request: AuthorizationRequest, manager: AuthManager) {
        self.manager = manager
        _model = State(initialValue: AuthorizationRequestModel(request, manager: manager))
    }

    var body: some View {
        RequestScreen(model: model) { loads += 1 }
            .task(id: Load(number: loads, user: manager.user?.id, choosesAccount: model.choosesAccount)) {
                await model.load()
            }
            .sheet(isPresented: choosesAccount) { LoginView(addsAccount: true, offersAccounts: true).sheetSize() }
            .onChange(of: manager.user?.id) { model.endChoice() }
    }

    private var choosesAccount: Binding<Bool> {
        Binding {
            model.choosesAccount
        } set: {
            if !$0 { model.endChoice() }
        }
    }

    /// Of another account, the request looks different.
    private struct Load: Hashable {
        let number: Int
        let user: UUID?
        let choosesAccount: Bool
    }
}

struct RequestScreen: View {
    let model: AuthorizationRequestModel
    /// Loads again.
    let reload: @MainActor () -> Void
    @Environment(\.dismiss) private var dismiss
    @Environment(\.openURL) private var openURL

    var body: some View {
        ZStack {
            switch model.phase {
            case .approved, .denied, .gone, .alreadyDecided: RequestResult(model: model, open: open)
            case .loading, .asking, .deciding, .needsProof, .failed:
                if let details = model.details {
                    RequestForm(model: model, details: details)
                } else if let message = model.message {
                    failure(message)
                } else {
                    ProgressView()
                }
            }
        }
        .navigationTitle(Text(ui: "Access Request"))
        .inlineTitle()
        .navigationBarBackButtonHidden(model.phase == .deciding)
        .interactiveDismissDisabled(model.phase == .deciding)
        .onChange(of: model.phase, initial: true) { finish() }
    }

    private func failure(_ message: SignInMessage) -> some View {
        VStack(spacing: 12) {
            MessageView(message: message)
            Button(action: reload) { Text(ui: "Retry").frame(minWidth: 44, minHeight: 44) }
        }
        .padding(24)
    }

    private func finish() {
        switch model.phase {
        case .approved(let redirect):
            announce("Approved")
            if let redirect, model.continuesHere { open(redirect) }
        case .denied: announce("Denied")
        default: break
        }
    }

    /// An `OAuthRedirect` never runs anything on this device.
    private func open(_ redirect: OAuthRedirect) {
        openURL(redirect.redirectURL) { isAccepted in
            if isAccepted { dismiss() }
        }
    }
}

private struct RequestForm: View {
    let model: AuthorizationRequestModel
    let details: OAuthAuthorizationDetails
    @State private var asksToReport = false

    var body: some View {
        List {
            Section {
                RequestHeader(details: details)
                if details.flow == .device { DeviceWarning(code: model.userCode) }
                if let expected = details.expectedAccount { ExpectedAccountWarning(expected: expected) }
                if details.flow == .redirect { otherAccount }
            }
            PermissionSection(details: details)
            OriginSection(details: details)
            if let message = model.message { Section { MessageView(message: message) { model.retry() } } }
            // Below everything that the user should read.
            Section {
                VStack(spacing: 12) { buttons }
            }
            .clearRows()
            Section { report }
        }
        .disabled(model.phase == .deciding)
        .overlay { if model.phase == .deciding { ProgressView() } }
    }

    private var otherAccount: some View {
        Button {
            model.useAnotherAccount()
        } label: {
            Text(ui: "Use Another Account").frame(maxWidth: .infinity, minHeight: 44)
        }
    }

    @ViewBuilder private var buttons: some View {
        if details.expectedAccount?.isRequired != true {
            Button {
                model.approve()
            } label: {
                Text(ui: "Approve")
            }
            .buttonStyle(WideButtonStyle(.prominent))
            .accessibilityIdentifier("approve")
        }
        Button {
            model.deny()
        } label: {
            Text(ui: "Deny")
        }
        .buttonStyle(WideButtonStyle(.quiet))
    }

    private var report: some View {
        Button(role: .destructive) {
            asksToReport = true
        } label: {
            Text(ui: "Deny and Report").frame(minHeight: 44)
        }
        .confirmationDialog(for: ReportQuestion(), isPresented: $asksToReport) { model.deny(reporting: true) }
    }
}

private struct ReportQuestion: DestructiveQuestion {
    var title: Text { Text(ui: "Deny and Report") }
    var message: Text { Text(ui: "Report requests that you didn't expect, or that pretend to be someone else.") }
}
