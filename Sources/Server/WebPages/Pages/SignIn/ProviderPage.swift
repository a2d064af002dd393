import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// To a provider, and back from it or from an emailed link.
struct ProviderPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/provider/{provider}") { try await $0.leave() },
        takes("/provider/{provider}") { try await $0.confirm() },
        shows("/callback") { try await $0.comeBack() },
    ]

    /// Asks first unless a link of these pages led here: another site must not begin a sign-in.
    mutating func leave() async throws -> Outcome {
        guard try await offersProvider() else { return .page(nothingHere) }
        guard visit.request.headers[.fetchSite] == "same-origin" else { return .page(page) }
        return .leave(address())
    }

    mutating func confirm() async throws -> Outcome {
        guard try await offersProvider() else { return .page(nothingHere) }
        return .onward(address())
    }

    private mutating func address() -> String {
        let question = visit.fields["link"] == nil ? nil : visit.session.question
        let challenge = visit.begin(
            question == nil ? .signIn : .confirm, for: question?.handover ?? visit.handoverOfForm)
        return "\(pages.settings.authURL)/authorize?provider=\(FormText.escape(provider))&code_challenge=\(challenge)"
            + "&code_challenge_method=s256&redirect_to=\(FormText.escape(pages.settings.callback))"
    }

    /// From a provider or an emailed link.
    mutating func comeBack() async throws -> Outcome {
        // Any website can lead here: only this flow's code completes it.
        guard let flow = visit.session.flow else { return .go(failed(.linkFailed)) }
        guard let code = visit.fields["code"] else {
            if flow.purpose == .emailChange, visit.fields["error"] == nil, visit.isSignedIn {
                // The first of two links; the second has the code.
                visit.session.flash = .confirmOther
                return .go(.home)
            }
            let isMailed = flow.purpose == .mail || flow.purpose == .emailChange
            return .go(failed(isMailed ? .linkFailed : providerProblem))
        }
        do {
            let json = try await visit.call(
                .post, "/token?grant_type=pkce",
                ["auth_code": .string(code), "code_verifier": .string(flow.verifier.reveal())])
            if flow.purpose == .recovery { visit.session.next = .newPassword }
            if flow.purpose == .link { visit.session.next = .methods }
            if flow.purpose == .confirm { visit.session.question?.isAnswered = true }
            let outcome = try await visit.signIn(json, for: flow.handover)
            if flow.purpose == .link { visit.session.flash = .methodAdded }
            if flow.purpose == .emailChange { visit.session.flash = .emailChanged }
            return outcome
        } catch let refusal as CallRefusal {
            guard let question = refusal.question else {
                return .page(visit.problemPage(visit.message(for: refusal), status: .badRequest))
            }
            return .go(visit[LinkQuestionPage.self].ask(question, for: flow.handover))
        }
    }
}

extension ProviderPage {
    private var provider: String { (visit.context.parameters.get("provider") ?? "").cut(to: 64) }

    private mutating func offersProvider() async throws -> Bool {
        try await visit.offer().providers.contains(provider)
    }

    private var nothingHere: Page { visit.problemPage(say("There's nothing here."), status: .notFound) }

    private var page: Page {
        let link = visit.fields["link"] == nil ? [] : [(name: "link", value: "yes")]
        var page = Page(say("Sign in with %@", ProviderTitle.text(of: provider)), visit.handoverSentence)
        page.blocks.append(
            .form(
                Form(
                    action: "\(Place.prefix)/provider/\(FormText.escape(provider))",
                    hidden: link + visit.handoverFields,
                    button: say("Continue"))))
        page.back = (say("Sign In"), Place.signIn.path)
        return page
    }

    /// nil after "Cancel", which is the provider's error (RFC 6749 §4.1.2.1, or Apple's) and has no code of this server.
    private var providerProblem: Flash? {
        switch visit.fields["error_code"] {
        case "user_banned": .blocked
        case "signup_disabled": .noSignUps
        case "identity_already_exists": .identityTaken
        case "provider_email_needs_verification": .providerWithoutEmail
        case nil where ["access_denied", "user_cancelled_authorize"].contains(visit.fields["error"]): nil
        // The protocol has no code for it.
        default:
            visit.fields["error_description"] == "Error getting user email from external provider"
                ? .providerWithoutEmail : .providerFailed
        }
    }

    private mutating func failed(_ flash: Flash?) -> Place {
        visit.session.flash = flash
        return visit.isSignedIn ? .home : .signIn
    }
}
