import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

struct MailLinks: ViewModifier {
    let account: AuthManager
    @State private var link = MailLink()
    @State private var asked: UUID?

    func body(content: Content) -> some View {
        content
            .onOpenURL { url in
                if account.consents.handle(url) { return }
                if account.mail.isLink(url) { link.open(url, account) }
            }
            .modifier(MailLinkAlert(link: link, isOnTop: link.screens.isEmpty))
            .modifier(SwitchSheet(account: account, isOnTop: link.screens.isEmpty))
            .modifier(ProofSheet(account: account, isOnTop: link.screens.isEmpty))
            .modifier(PasskeyOffer(account: account, isOnTop: link.screens.isEmpty))
            .modifier(EmailCodeSheet(account: account, isOnTop: link.screens.isEmpty))
            .modifier(ConsentSheet(account: account, isOnTop: link.screens.isEmpty))
            // The sheet has closed with the code.
            .onChange(of: account.asksForEmailCode) {
                if account.asksForEmailCode {
                    asked = account.user?.id
                } else if account.user?.email != nil, account.user?.id == asked {
                    announce("Your email has been changed.")
                }
            }
            .modifier(PasskeyOffering(account: account))
            .environment(\.mailLink, link)
    }
}

/// A screen below a sheet cannot present them.
struct AccountQuestions: ViewModifier {
    /// Otherwise a screen below asks "Add a passkey?".
    var offersPasskey = true
    /// A closing login leaves the code and requests for access to the screen below.
    var asksForCode = true
    @State private var number: Int?
    @Environment(\.mailLink) private var link
    @Environment(AuthManager.self) private var account: AuthManager?

    func body(content: Content) -> some View {
        if let link, let account {
            content
                .modifier(ProofSheet(account: account, isOnTop: isOnTop(link)))
                .modifier(MailLinkAlert(link: link, isOnTop: isOnTop(link)))
                .modifier(SwitchSheet(account: account, isOnTop: isOnTop(link)))
                .modifier(PasskeyOffer(account: account, isOnTop: offersPasskey && isOnTop(link)))
                .modifier(EmailCodeSheet(account: account, isOnTop: asksForCode && offersPasskey && isOnTop(link)))
                .modifier(ConsentSheet(account: account, isOnTop: asksForCode && offersPasskey && isOnTop(link)))
                .onAppear { number = link.add() }
                .onDisappear { link.remove(number) }
        } else {
            content
        }
    }

    private func isOnTop(_ link: MailLink) -> Bool { number != nil && link.screens.last == number }
}

@MainActor @Observable final class MailLink {
    var hasFailed = false
    /// Why the link may open later; nil if it never will.
    private(set) var delay: SignInMessage?
    /// The account's open screens, topmost last.
    private(set) var screens: [Int] = []
    @ObservationIgnored private var again: (@MainActor () -> Void)?
    @ObservationIgnored private var count = 0
    /// Returns whether the newest link or an earlier one worked.
    @ObservationIgnored private var work: Task<Bool, Never>?

    func add() -> Int {
        let number = (screens.last ?? 0) + 1
        screens.append(number)
        return number
    }

    func remove(_ screen: Int?) { screens.removeAll { $0 == screen } }

    /// Waits for the previous link, whose session would be lost if cancelled after its code was used. Shows only the
    /// newest link's failure, and none if the previous one worked.
    func open(_ url: URL, _ account: AuthManager) {
        again = { [weak self] in self?.open(url, account) }
        count += 1
        work = Task { [mine = count, earlier = work] in
            let hasWorked = await earlier?.value ?? false
            let failure = await Self.failure(of: url, account)
            if mine == count { work = nil }
            guard let failure, failure != .cancelled else { return failure == nil || hasWorked }
            if mine == count, !hasWorked {
                let temporary: [AuthError.Code] = [.noNetwork, .serviceDown, .serverError, .rateLimited, .storeFailed]
                delay = temporary.contains(failure.code) ? SignInMessage(.email, failure) : nil
                hasFailed = true
            }
            return hasWorked
        }
    }

    private static func failure(of url: URL, _ account: AuthManager) async -> AuthError? {
        do throws(AuthError) {
            try await account.mail.openLink(url)
            return nil
        } catch {
            return error
        }
    }

    func retry() { again?() }
}

private struct MailLinkAlert: ViewModifier {
    let link: MailLink
    /// No account sheet covers the screen.
    let isOnTop: Bool

    func body(content: Content) -> some View {
        content
            .alert(Text(ui: "The link couldn't be opened."), isPresented: isPresented) {
                if link.delay != nil {
                    Button {
                        link.retry()
                    } label: {
                        Text(ui: "Try Again")
                    }
                }
                Button(role: .cancel) {
                } label: {
                    Text(ui: "OK")
                }
            } message: {
                if let delay = link.delay {
                    Text(model: delay.content)
                } else {
                    Text(
                        ui:
                            "It may have expired, already been used, or been meant for another device. Please request a new one."
                    )
                }
            }
    }

    private var isPresented: Binding<Bool> {
        Binding {
            isOnTop && link.hasFailed
        } set: {
            link.hasFailed = $0
        }
    }
}

private struct MailLinkKey: EnvironmentKey {
    static let defaultValue: MailLink? = nil
}

extension EnvironmentValues {
    fileprivate var mailLink: MailLink? {
        get { self[MailLinkKey.self] }
        set { self[MailLinkKey.self] = newValue }
    }
}
