// SignInWithAppleButton.Style
import AuthenticationServices
import SwiftUI

func share<Value: Sendable>(_ value: Value) {}

@MainActor func shareAll() {
    share(SignInWithAppleButton.Style.black)  // refused
    share(SignInWithAppleButton.Label.signIn)  // refused
}

func isSame(_ style: SignInWithAppleButton.Style) -> Bool {
    style == .black  // refused
}
