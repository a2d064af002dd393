// the control: everything is right
import AuthenticationServices
import Foundation
import SwiftUI

@MainActor final class Sheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let window: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    init(window: ASPresentationAnchor) { self.window = window }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }

    func show(_ url: URL) -> Bool {
        let session = ASWebAuthenticationSession(url: url, callbackURLScheme: nil) { url, error in
            guard url == nil, let error = error as? ASWebAuthenticationSessionError else { return }
            _ = error.code == .canceledLogin || error.code == .presentationContextNotProvided
        }
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = true
        self.session = session
        return session.canStart && session.start()
    }

    func end() { session?.cancel() }
}
