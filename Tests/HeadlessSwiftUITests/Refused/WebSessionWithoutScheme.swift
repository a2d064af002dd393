// missing argument for parameter 'callbackURLScheme'
import AuthenticationServices
import SwiftUI

@MainActor func show(_ url: URL) {
    ASWebAuthenticationSession(url: url) { _, _ in }.start()
}
