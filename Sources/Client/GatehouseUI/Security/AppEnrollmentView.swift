import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

struct AppEnrollmentView: View {
    @Environment(\.branding) private var branding
    @Environment(\.dismiss) private var dismiss
    private let manager: AuthManager
    @State private var model: AppEnrollmentModel
    @State private var loads = 0
    @State private var typed = ""
    @State private var isCopied = false
    @ScaledMetric(relativeTo: .body) private var side: CGFloat = 200

    init(manager: AuthManager, issuer: String) {
        self.manager = manager
        _model = State(initialValue: AppEnrollmentModel(issuer: issuer, manager: manager))
    }

    var body: some View {
        ZStack {
            switch model.phase {
            case .loading, .cancelled: ProgressView()
            case .failed(let message): MessageView(message: message) { loads += 1 }.padding(24)
            case .editing, .checking, .refused: form
            case .added where model.offersCodes: RecoveryCodesView(manager: manager, replacing: false)
            case .added: ProgressView()
            }
        }
        .navigationTitle(Text(ui: "Authenticator App"))
        .inlineTitle()
        .navigationBarBackButtonHidden(model.phase == .checking)
        .interactiveDismissDisabled(model.phase == .checking)
        .task(id: loads) { await model.load() }
        .onChange(of: model.phase) {
            if model.phase == .added { announce("The authenticator app has been added.") }
            if model.phase == .cancelled || model.phase == .added && !model.offersCodes { dismiss() }
        }
        .onChange(of: typed) {
            model.code = typed
            typed = model.code
        }
        .onChange(of: model.code) {
            typed = model.code
            if model.canSubmit { model.submit() }
        }
    }

    private var form: some View {
        Form {
            Section {
                if let secret = model.secret { picture(secret) }
                if let secret = model.secret, let app = URL(string: secret.uri) {
                    Link(destination: app) { Text(ui: "Open in an App on This Device").frame(minHeight: 44) }
                }
                key
            } header: {
                Text(ui: "1. Scan this code with your authenticator app, or enter the key there.")
                    .textStyle(.subheadline)
                    .textCase(nil)
                    .frame(maxWidth: .infinity, alignment: .leading)
                    .padding(.bottom, 8)
            }
            Section {
                code
            } header: {
                Text(ui: "2. Enter the code that the app shows.")
                    .textStyle(.subheadline)
                    .textCase(nil)
                    .frame(maxWidth: .infinity, alignment: .leading)
                    .padding(.bottom, 8)
            } footer: {
                if let message = model.message { MessageView(message: message) }
            }
            Section { button }
                .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
        .overlay {
            if model.phase == .checking { BusyOverlay(text: Text(ui: "Checking…")) }
        }
    }

    private var button: some View {
        Button {
            model.submit()
        } label: {
            Text(ui: "Continue")
        }
        .buttonStyle(WideButtonStyle(.prominent))
        .disabled(!model.canSubmit)
        .accessibilityIdentifier("submit")
    }

    private var code: some View {
        TextField(text: $typed) { Text(ui: "Code") }
            .textContentType(.oneTimeCode)
            .typesDigits()
            .textStyle(.title3).monospacedDigit()
            .multilineTextAlignment(.center)
            .frame(minHeight: 44)
            .disabled(model.phase == .checking)
    }

    /// Cameras need black on white in every colour scheme.
    private func picture(_ secret: AuthEnrolledFactor.TOTP) -> some View {
        qrCode(secret, label: Text(ui: "QR code with the key for your authenticator app"))
            .frame(width: min(side, 280), height: min(side, 280))
            .frame(maxWidth: .infinity)
            .padding(.vertical, 8)
    }

    private var key: some View {
        AdaptiveRow {
            Text(verbatim: model.groupedSecret ?? "")
                .font(.footnote.monospaced())
                .textSelection(.enabled)
            Spacer()
            Button {
                copy(model.secret?.secret ?? "")
                isCopied = true
                announce("Copied")
            } label: {
                (isCopied ? Text(ui: "Copied") : Text(ui: "Copy")).frame(minWidth: 44, minHeight: 44)
            }
            .buttonStyle(.borderless)
        }
    }
}
