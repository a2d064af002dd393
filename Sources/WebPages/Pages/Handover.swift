import GatehouseWire
import HTTPServing
import HTTPTypes

// The way back to the app that sent its user here.
extension WebPages {
    /// After a sign-in for this app, at once. Otherwise the user is asked: any website can send a browser here.
    @Sendable func showHandover(_ visit: inout Visit) async throws -> Outcome {
        guard let handover = visit.session.handover else { return .go(.home) }
        guard visit.isSignedIn else { return .go(.signIn) }
        guard !handover.isConfirmed else { return try await visit.handOver(handover) }
        let user = try await visit.user()
        return .page(
            Page(
                visit.say("Continue"),
                [
                    .text(visit.say("Continue as %@?", user.email ?? "–")),
                    .form(Form(action: Place.goOn.path, button: visit.say("Continue"))),
                    .links([
                        Link(title: visit.say("Use another account"), address: Place.signIn.path + "?again=yes")
                    ]),
                ]))
    }

    @Sendable func handOver(_ visit: inout Visit) async throws -> Outcome {
        guard let handover = visit.session.handover else { return .go(.home) }
        return try await visit.handOver(handover)
    }
}

extension Visit {
    /// The code goes to an address that the Auth API allows; another one becomes its site's.
    fileprivate mutating func handOver(_ handover: WebSession.Handover) async throws -> Outcome {
        // Refreshes the tokens first, if need be.
        _ = try await user()
        guard let refresh = session.tokens?.refresh else { throw SignInNeeded(wasSignedIn: true) }
        do {
            let json = try await callAsUser(
                .post, "/authorize",
                [
                    "refresh_token": .string(refresh.reveal()), "code_challenge": .string(handover.challenge),
                    "code_challenge_method": .string(handover.method), "redirect_to": .string(handover.target),
                ])
            session.handover = nil
            guard let url = json["url"]?.stringValue, URLParts(url) != nil else { throw CallFailed(cause: nil) }
            return .onward(url)
        } catch let refusal as CallRefusal where !refusal.needsFreshSignIn {
            session.handover = nil
            return .page(problemPage(message(for: refusal), status: .badRequest))
        }
    }
}
