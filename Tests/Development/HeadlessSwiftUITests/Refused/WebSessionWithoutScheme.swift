// missing argument for parameter 'callbackURLScheme'
import AuthenticationServices
import Foundation
import SwiftUI

@MainActor func show(_ url: URL) {
    ASWebAuthenticationSession(url: url) { _, _ in }.start()
}
