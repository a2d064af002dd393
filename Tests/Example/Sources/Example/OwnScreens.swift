import AuthenticationServices
import Foundation
import Gatehouse
import GatehouseUI
import SwiftUI

struct AccountView: View {
    let account: AuthManager
    @State private var login: LoginModel
    @State private var link: LinkModel

    init(account: AuthManager) {
        self.account = account
        _login = State(initialValue: LoginModel(manager: account))
        _link = State(initialValue: LinkModel(manager: account))
    }

    var body: some View {
        switch account.phase {
        case .restoring: ProgressView()
        case .unauthenticated, .authenticating:
            if link.question == nil { SignInView(login: login) } else { QuestionView(link: link) }
        case .secondFactorNeeded:
            if let question = account.secondFactor { SecondStepView(question: question, account: account) }
        case .authenticated, .refreshing:
            Text(headline(account))
            Button("Sign Out") { Task { await account.signOut() } }
        }
    }
}

struct SecondStepView: View {
    @State private var proof: ProofModel

    init(question: ProofQuestion, account: AuthManager) {
        _proof = State(initialValue: ProofModel(question: question, manager: account))
    }

    var body: some View {
        Form {
            Text(proof.explanation.localized)
            TextField("Code", text: $proof.code).textContentType(.oneTimeCode)
            if let message = proof.message { Text(message.localized) }
            Button("Continue") { proof.submit() }
                .disabled(!proof.canSubmit())
            ForEach(proof.otherMethods, id: \.self) { method in
                Button(method.title.localized) { proof.use(method) }
            }
            Button("Cancel", role: .cancel) { proof.cancel() }
        }
    }
}

struct SignInView: View {
    @Bindable var login: LoginModel
    @State private var password = ""

    var body: some View {
        Form {
            AppleButton(login: login)
            GoogleButton(login: login)
            TextField("Email", text: $login.form.email).textContentType(.username)
            SecureField("Password", text: $password).textContentType(.password)
            if let message = login.message { Text(message.localized) }
            Button("Sign In") { login.submit(password: password) }
                .disabled(!login.canSubmit(password: password))
        }
    }
}

struct CodeFields: View {
    @Bindable var code: CodeModel

    var body: some View {
        TextField("Code", text: $code.code)
            .textContentType(.oneTimeCode)
            .onChange(of: code.code) { if code.isComplete { code.submit() } }
            .task { await code.load() }
            .task(id: code.waitsUntil) { await code.countDown() }
        if let message = code.message { Text(message.localized) }
        Button("Continue") { code.submit() }
            .disabled(!code.canSubmit)
        Button("Send Again") { code.sendAgain() }
            .disabled(!code.canSendAgain)
    }
}

struct AppleButton: View {
    let login: LoginModel
    @State private var nonce = SignInNonce()

    var body: some View {
        SignInWithAppleButton(.signIn) { request in
            nonce = SignInNonce()
            request.requestedScopes = [.fullName, .email]
            request.nonce = nonce.hashed
        } onCompletion: { result in
            login.signInWithApple { try credential(result) }
        }
    }

    private func credential(_ result: Result<ASAuthorization, any Error>) throws -> AppleCredential {
        do {
            guard let apple = try result.get().credential as? ASAuthorizationAppleIDCredential,
                let token = apple.identityToken
            else { throw AuthError.providerFailed }
            return AppleCredential(
                idToken: String(decoding: token, as: UTF8.self), nonce: nonce.raw, person: apple.user,
                firstName: apple.fullName?.givenName, lastName: apple.fullName?.familyName,
                authorizationCode: apple.authorizationCode.map { String(decoding: $0, as: UTF8.self) })
        } catch let error as ASAuthorizationError {
            throw error.code == .canceled ? AuthError.cancelled : AuthError.providerFailed
        }
    }
}

struct GoogleButton: View {
    let login: LoginModel
    @Environment(\.webAuthenticationSession) private var browser

    var body: some View {
        Button("Sign in with Google") {
            let browser = browser
            let page = AppBrowser(redirectTo: URL(string: "com.example.journal://auth-callback")!) { url in
                do {
                    return try await browser.authenticate(using: url, callbackURLScheme: "com.example.journal")
                } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
                    throw AuthError.cancelled
                }
            }
            login.signIn(with: .google, in: page)
        }
    }
}

struct QuestionView: View {
    let link: LinkModel
    @State private var password = ""

    var body: some View {
        Form {
            Text(question(link) ?? "")
            if link.methods.contains(.email) {
                SecureField("Password", text: $password).textContentType(.password)
                Button("Sign In") { link.confirm(password: password) }
            }
            if let message = link.message { Text(message.localized) }
            if let warning = link.warning {
                Text(warning.localized)
                Button("Start Over", role: .destructive) { link.recover() }
            } else if link.canRecover {
                Button("That Is Not My Account") { link.askToRecover() }
            }
            Button("Cancel", role: .cancel) { link.dismiss() }
        }
    }
}

struct ReportLink: View {
    let account: AuthManager

    var body: some View {
        if let report = account.report { ShareLink(item: report.text) { Text("Send Report") } }
    }
}
