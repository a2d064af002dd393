// main actor-isolated
import AuthenticationServices
import SwiftUI

extension AuthorizationController {
    func ask() {}
}

extension AuthenticationServices.WebAuthenticationSession {
    func browse() {}
}

func ask(_ controller: AuthorizationController, _ session: AuthenticationServices.WebAuthenticationSession) {
    controller.ask()  // refused
    session.browse()  // refused
}
