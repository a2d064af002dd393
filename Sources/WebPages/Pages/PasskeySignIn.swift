import GatehouseWire
import HTTPServing
import HTTPTypes

// Signing in with a passkey: on the sign-in page, or on a page of its own after a captcha.
extension WebPages {
    @Sendable func showPasskeySignIn(_ visit: inout Visit) async throws -> Outcome {
        guard visit.captcha != nil, try await visit.offer().hasPasskeys else { return .go(.signIn) }
        return .page(visit.passkeySignInPage)
    }

    @Sendable func signInWithPasskey(_ visit: inout Visit) async throws -> Outcome {
        if visit.fields["act"] == "begin" { return try await begin(&visit) }
        let challenge = visit.challengeOfForm
        // The server takes each challenge once.
        visit.session.challenge = nil
        guard let credential = Ceremony.answer(visit.fields[Ceremony.credential]) else {
            return .page(try await visit.signInPage(.problem(visit.ceremonyProblem)))
        }
        do {
            let json = try await visit.call(
                .post, "/passkeys/authentication/verify",
                ["challenge_id": .string(challenge), "credential": credential])
            return try await visit.signIn(json, for: visit.handoverOfForm)
        } catch let refusal as CallRefusal {
            return .page(try await visit.signInPage(.problem(visit.message(for: refusal))))
        }
    }

    /// The captcha is solved.
    private func begin(_ visit: inout Visit) async throws -> Outcome {
        var page = visit.passkeySignInPage
        do {
            let begun = try await visit.call(.post, "/passkeys/authentication/options", visit.solved([:]))
            let challenge = WebSession.Challenge(begun)
            page.blocks =
                visit.handoverSentence + [
                    .form(visit.passkeyForm(challenge, start: .atOnce)),
                    .unscripted(visit.say("This browser cannot use passkeys, or does not allow scripts.")),
                ]
        } catch let refusal as CallRefusal {
            page.notice = .problem(visit.message(for: refusal))
        }
        return .page(page)
    }
}

extension Visit {
    /// The button of the sign-in page. One challenge serves a browser until it is answered or too old, because the server
    /// limits how many it makes for an address.
    ///
    /// - Throws: ``CallFailed``.
    mutating func passkeyButton() async throws -> Block? {
        if captcha != nil {
            return .buttons([
                Link(
                    title: say("Sign in with a Passkey"), address: Place.passkeySignIn.path + handoverQuery,
                    symbol: "passkey")
            ])
        }
        if session.challenge.map({ $0.expiresAt <= pages.now().seconds + 60 }) ?? true {
            do {
                session.challenge = WebSession.Challenge(try await call(.post, "/passkeys/authentication/options"))
            } catch is CallRefusal {
                // Too many from this address. The other ways to sign in are left.
                session.challenge = nil
            }
        }
        return session.challenge.map { .form(passkeyForm($0, start: .inField)) }
    }

    fileprivate func passkeyForm(_ challenge: WebSession.Challenge, start: Ceremony.Start) -> Form {
        Form(
            action: Place.passkeySignIn.path, hidden: [("challenge", challenge.id)] + handoverFields,
            ceremony: Ceremony(kind: .get, options: challenge.options, start: start),
            button: say("Sign in with a Passkey"), symbol: "passkey", style: .plain)
    }

    fileprivate var passkeySignInPage: Page {
        var page = Page(say("Sign in with a Passkey"))
        page.back = (say("Sign In"), Place.signIn.path)
        page.blocks =
            handoverSentence + [
                .form(
                    Form(
                        action: Place.passkeySignIn.path, hidden: [("act", "begin")] + handoverFields, captcha: captcha,
                        button: say("Continue")))
            ]
        return page
    }
}

extension WebSession.Challenge {
    /// - Parameter begun: The answer of `POST /passkeys/authentication/options`.
    fileprivate init(_ begun: AnyJSON) {
        self.init(
            id: begun["challenge_id"]?.stringValue ?? "", options: begun["options"] ?? .null,
            expiresAt: begun["expires_at"]?.intValue ?? 0)
    }
}
