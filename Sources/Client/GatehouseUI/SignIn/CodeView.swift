import GatehouseModel
import SwiftUI

struct CodeView<More: View>: View {
    let model: CodeModel
    let startOver: (@MainActor () -> Void)?
    private let more: More
    @State private var typed = ""
    @FocusState private var isFocused: Bool

    /// - Parameter more: Sections below the form's own.
    init(model: CodeModel, startOver: (@MainActor () -> Void)?, @ViewBuilder more: () -> More = { EmptyView() }) {
        (self.model, self.startOver, self.more) = (model, startOver, more())
    }

    var body: some View {
        form
            .overlay {
                if model.phase == .checking { BusyOverlay(text: Text(ui: "Checking the code…")) }
            }
            .interactiveDismissDisabled(model.isBusy)
            .navigationBarBackButtonHidden(model.isBusy)
            .onAppear {
                typed = model.code
                isFocused = true
                announce(model.kind.isTexted ? "Check your messages" : "Check your email")
            }
            .onChange(of: typed) {
                model.code = typed
                typed = model.code
            }
            .onChange(of: model.code) {
                typed = model.code
                if model.isComplete { submit() }
            }
            .onChange(of: model.email) { isFocused = true }
            .onChange(of: model.isHalfway) {
                if model.isHalfway { announce("Now confirm from your other email address.") }
            }
            .onChange(of: model.wasSentAgain) {
                guard model.wasSentAgain else { return }
                announce(model.isOnItsWay)
                // Disabled while the screen's first message was requested.
                if case .phoneFactor = model.kind { isFocused = true }
            }
            .task(id: model.waitsUntil) { await model.countDown() }
            .task { await model.load() }
    }

    private var form: some View {
        Form {
            Section { CodeHeader(model: model) }.clearRows()
            Section {
                field
            } footer: {
                status
            }
            Section {
                Button(action: submit) { Text(ui: "Continue") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!model.canSubmit)
                    .accessibilityIdentifier("submit")
            }
            .clearRows()
            Section {
                otherWays
            } footer: {
                countdown
            }
            more
        }
        .scrollDismissesKeyboard(.interactively)
    }

    private var field: some View {
        TextField(text: $typed) { Text(ui: "Code") }
            .textContentType(.oneTimeCode)
            .typesDigits()
            .textStyle(.title2).monospacedDigit()
            .multilineTextAlignment(.center)
            .focused($isFocused)
            .submitLabel(.go)
            .onSubmit(submit)
            .frame(minHeight: 44)
            .disabled(model.isBusy)
    }

    private var status: some View {
        VStack(alignment: .leading, spacing: 8) {
            if let message = model.message { MessageView(message: message) { model.retry() } }
            if model.wasSentAgain { Text(model: model.isOnItsWay) }
        }
    }

    @ViewBuilder private var otherWays: some View {
        if let other = model.otherEmail {
            Button {
                model.useOther()
            } label: {
                Text(ui: "Enter the Code Sent to \(other)").frame(minHeight: 44)
            }
            .disabled(model.isBusy)
        }
        if model.offersAnotherMail {
            Button {
                model.sendAgain()
            } label: {
                Text(ui: "Send Again").frame(minHeight: 44)
            }
            .disabled(!model.canSendAgain)
        }
        if let startOver {
            Button(action: startOver) {
                startOverTitle.frame(minHeight: 44)
            }
            .disabled(model.isBusy)
        }
    }

    private var startOverTitle: Text {
        switch model.kind {
        case .link, .setAsidePassword, .setAsidePasskey: Text(ui: "Sign in Another Way")
        case .confirmation, .signIn, .passwordReset, .emailChange: Text(ui: "Use Another Email")
        case .phoneSignIn, .phoneChange, .phoneFactor: Text(ui: "Use Another Number")
        }
    }

    @ViewBuilder private var countdown: some View {
        if let countdown = model.countdown, model.offersAnotherMail {
            if model.kind.isTexted {
                Text(ui: "Another message can be sent in \(countdown).").monospacedDigit()
            } else {
                Text(ui: "Another email can be sent in \(countdown).").monospacedDigit()
            }
        }
    }

    private func submit() {
        guard model.canSubmit else { return }
        isFocused = false
        model.submit()
    }
}

extension CodeModel {
    fileprivate var isOnItsWay: ModelText { kind.isTexted ? "The message is on its way." : "The email is on its way." }
}

private struct CodeHeader: View {
    let model: CodeModel
    @Environment(AuthManager.self) private var account: AuthManager?
    @Environment(\.branding) private var branding
    @Environment(\.dynamicTypeSize) private var size
    @ScaledMetric(relativeTo: .title2) private var symbolSize: CGFloat = 56

    var body: some View {
        VStack(spacing: 16) {
            // With the largest text the field would be far below it.
            if !size.isAccessibilitySize {
                Image(systemName: model.kind.isTexted ? "message.fill" : "envelope.badge")
                    .font(.system(size: symbolSize))
                    .foregroundStyle(branding.accent)
                    .accessibilityHidden(true)
            }
            (model.kind.isTexted ? Text(ui: "Check your messages") : Text(ui: "Check your email"))
                .textStyle(.title2, .title, weight: .bold)
                .accessibilityAddTraits(.isHeader)
            VStack(spacing: 8) {
                if model.isHalfway { Text(ui: "Now confirm from your other email address.") }
                explanation
            }
            .textStyle(.subheadline)
            .foregroundStyle(.secondary)
        }
        .frame(maxWidth: .infinity)
        .multilineTextAlignment(.center)
        .padding(.vertical, 8)
    }

    @ViewBuilder private var explanation: some View {
        switch model.kind {
        case .emailChange where account?.user?.email != nil:
            Text(ui: "We've sent a code to \(model.email.shownAddress).")
            Text(ui: "Enter it here, or open the link in the email on this device.")
            Text(ui: "Until then, your email stays as it is.")
        case .link:
            Text(ui: "We've sent a code to \(model.email.shownAddress).")
            Text(ui: "Enter it here to link the two.")
        case .setAsidePassword:
            Text(ui: "We've sent a code to \(model.email.shownAddress).")
            Text(ui: "Enter the code we emailed you to keep using this password.")
        case .setAsidePasskey:
            Text(ui: "We've sent a code to your account's email.")
            Text(ui: "Enter the code we emailed you to keep using this passkey.")
        case .phoneSignIn:
            Text(ui: "If \(model.recipient) can be used here, we've sent a code to it.")
        case .phoneChange:
            Text(ui: "We've sent a code to \(model.recipient).")
            if account?.user?.phone != nil { Text(ui: "Until then, your phone number stays as it is.") }
        case .phoneFactor:
            Text(ui: "We've sent a code to \(model.recipient).")
        // A first address may be another account's, which a sign-up does not reveal.
        case .confirmation, .signIn, .passwordReset, .emailChange:
            Text(ui: "If \(model.email.shownAddress) can be used here, we've sent a code to it.")
            Text(ui: "Enter it here, or open the link in the email on this device.")
        }
    }
}
