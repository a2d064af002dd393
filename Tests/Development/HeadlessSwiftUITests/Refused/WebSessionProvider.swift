// does not conform to protocol 'ASWebAuthenticationPresentationContextProviding'
import AuthenticationServices
import Foundation
import SwiftUI

final class Provider: NSObject, ASWebAuthenticationPresentationContextProviding {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> String { "a window" }
}
