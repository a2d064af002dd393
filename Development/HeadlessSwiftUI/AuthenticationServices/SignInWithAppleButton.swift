public import SwiftUI

@MainActor @preconcurrency public struct SignInWithAppleButton {
    public struct Label {
        fileprivate let texts: [String: String]

        public static var signIn: SignInWithAppleButton.Label {
            Label(texts: [
                "en": "Sign in with Apple", "es": "Iniciar sesión con Apple", "de": "Mit Apple anmelden",
                "ja": "Appleでサインイン", "ar": "تسجيل الدخول باستخدام Apple", "fr": "Se connecter avec Apple",
                "it": "Accedi con Apple", "pt": "Iniciar sessão com a Apple", "zh": "通过 Apple 登录", "ko": "Apple로 로그인",
            ])
        }
        public static var signUp: SignInWithAppleButton.Label {
            Label(texts: [
                "en": "Sign up with Apple", "es": "Registrarse con Apple", "de": "Mit Apple registrieren",
                "ja": "Appleで登録", "ar": "التسجيل باستخدام Apple", "fr": "S’inscrire avec Apple",
                "it": "Registrati con Apple", "pt": "Registrar com a Apple", "zh": "通过 Apple 注册", "ko": "Apple로 등록",
            ])
        }
        public static var `continue`: SignInWithAppleButton.Label {
            Label(texts: [
                "en": "Continue with Apple", "es": "Continuar con Apple", "de": "Mit Apple fortfahren",
                "ja": "Appleで続ける", "ar": "متابعة باستخدام Apple", "fr": "Continuer avec Apple",
                "it": "Continua con Apple", "pt": "Continuar com a Apple", "zh": "通过 Apple 继续", "ko": "Apple로 계속하기",
            ])
        }
    }

    public struct Style {
        fileprivate let isWhite: Bool

        public static var black: SignInWithAppleButton.Style { Style(isWhite: false) }
        public static var white: SignInWithAppleButton.Style { Style(isWhite: true) }
        public static var whiteOutline: SignInWithAppleButton.Style { Style(isWhite: true) }
    }

    private let label: SignInWithAppleButton.Label
    private let onRequest: (ASAuthorizationAppleIDRequest) -> Void
    private let onCompletion: (Result<ASAuthorization, any Error>) -> Void

    public init(
        _ label: SignInWithAppleButton.Label = .signIn,
        onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void,
        onCompletion: @escaping ((Result<ASAuthorization, any Error>) -> Void)
    ) {
        (self.label, self.onRequest, self.onCompletion) = (label, onRequest, onCompletion)
    }
}

extension SignInWithAppleButton: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let environment = context.environment
        let node = context.node
        // Like UIKit's button, which takes its style when it is created.
        let isWhite = node.remembered("isWhite") { environment.isAppleButtonWhite }
        let language = environment.locale.language.languageCode?.identifier ?? "en"
        let title = HStack(spacing: 6) {
            Image(systemName: "apple.logo").accessibilityHidden(true)
            Text(verbatim: label.texts[language] ?? label.texts["en"] ?? "")
        }
        // Grows with the button, as long as the text fits on a phone.
        .font(.system(size: min(19 * environment.dynamicTypeSize.factor, 28), weight: .medium))
        .multilineTextAlignment(.center)
        .padding(.horizontal, 12)
        .foregroundStyle(isWhite ? Color.black : Color.white)
        .frame(minWidth: 140, maxWidth: .infinity, minHeight: 30, maxHeight: .infinity)
        .background(isWhite ? Color.white : Color.black)
        let button = ScreenElement(.button, "", context.elements(of: title))
        button.isEnabled = environment.isEnabled
        button.details["style"] = "apple"
        button.spoken.traits = [.isButton]
        let sheets = environment.providerSheets
        button.action = { show(sheets, node) }
        return [button]
    }

    /// The result is dropped if the button was removed while the sheet was shown.
    private func show(_ sheets: ProviderSheets, _ node: ViewNode) {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        onRequest(request)
        Task {
            let answer: Result<ASAuthorization, any Error>
            do { answer = .success(try await sheets.apple(request)) } catch { answer = .failure(error) }
            if !node.hasEnded { onCompletion(answer) }
        }
    }
}

@available(*, unavailable) extension SignInWithAppleButton.Label: Sendable {}
@available(*, unavailable) extension SignInWithAppleButton.Style: Sendable {}

private struct AppleButtonColorKey: EnvironmentKey {
    static let defaultValue = false
}

extension EnvironmentValues {
    fileprivate var isAppleButtonWhite: Bool {
        get { self[AppleButtonColorKey.self] }
        set { self[AppleButtonColorKey.self] = newValue }
    }
}

extension View {
    @MainActor @preconcurrency public func signInWithAppleButtonStyle(
        _ style: SignInWithAppleButton.Style
    ) -> some View {
        environment(\.isAppleButtonWhite, style.isWhite)
    }
}
