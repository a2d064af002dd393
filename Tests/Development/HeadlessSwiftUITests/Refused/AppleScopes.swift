// has no member 'phone'
import AuthenticationServices
import SwiftUI

struct Wrong: View {
    var body: some View {
        SignInWithAppleButton {
            $0.requestedScopes = [.phone]
        } onCompletion: { _ in
        }
    }
}
