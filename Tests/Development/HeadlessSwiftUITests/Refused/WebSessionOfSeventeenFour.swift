// argument label
import AuthenticationServices
import Foundation
import SwiftUI

// From iOS 17.4; the screens are for iOS 17.
@MainActor func show(_ url: URL) {
    let session = ASWebAuthenticationSession(url: url, callback: "app", completionHandler: { _, _ in })
    session.start()
}
