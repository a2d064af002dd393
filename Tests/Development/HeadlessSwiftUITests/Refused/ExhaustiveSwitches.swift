// may have additional unknown values
import AuthenticationServices
import SwiftUI

func text(_ result: ASAuthorizationResult) -> String {
    switch result {  // refused
    case .password: "password"
    case .appleID: "Apple"
    }
}

func text(_ code: ASAuthorizationError.Code) -> String {
    switch code {  // refused
    case .unknown, .canceled, .invalidResponse, .notHandled, .failed, .notInteractive: "a code"
    }
}

func text(_ code: ASWebAuthenticationSessionError.Code) -> String {
    switch code {  // refused
    case .canceledLogin, .presentationContextNotProvided, .presentationContextInvalid: "a code"
    }
}

func text(_ scheme: ColorScheme) -> String {
    switch scheme {  // refused
    case .light: "light"
    case .dark: "dark"
    }
}

func text(_ phase: ScenePhase) -> String {
    switch phase {  // refused
    case .background, .inactive, .active: "a phase"
    }
}
