import GatehouseWire

struct ConsoleSecondStepPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/second-step") { try await $0.show() },
        takes("/second-step", limitedBy: WebPages.signInBucket) { try await $0.take() },
    ]

    mutating func show() async throws -> Outcome {
        guard visit.session.awaitsSecondStep else { return .move(ConsolePlace.signIn) }
        let steps = SecondSteps(try await visit.user())
        return .page(visit[SecondStepPage.self].page(steps))
    }

    mutating func take() async throws -> Outcome {
        guard visit.session.awaitsSecondStep else { return .move(ConsolePlace.signIn) }
        do {
            if let page = try await visit[SecondStepPage.self].begun() { return .page(page) }
            let answer = try AuthSessionAnswer(json: await visit[SecondStepPage.self].raised())
            let tokens = WebSession.Tokens(answer)
            visit.session.tokens = tokens
            guard try await visit[ConsoleSignInPage.self].isAdmin(Secret(answer.accessToken)) else {
                await visit[ConsoleSignInPage.self].endSession()
                visit.session = WebSession(formToken: pages.randomBytes(16))
                return .page(visit[ConsoleSignInPage.self].page(.problem(ConsoleSignInPage.noAdministrator)))
            }
            let next = visit.session.nextPath ?? ConsolePlace.overview.path
            visit[ConsoleSignInPage.self].enter(tokens)
            return .move(next)
        } catch let refusal as CallRefusal {
            if let page = try await visit[SecondStepPage.self].textPage(after: refusal) { return .page(page) }
            let steps = SecondSteps(try await visit.user())
            let secondStep = visit[SecondStepPage.self]
            return .page(secondStep.page(steps, .problem(secondStep.problem(refusal))))
        }
    }
}
