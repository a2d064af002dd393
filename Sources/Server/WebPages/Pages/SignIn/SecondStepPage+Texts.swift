import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

extension SecondStepPage {
    /// Sent on demand: messages are limited, and cost money.
    var asksForText: Bool { visit.fields["act"] == "text" && visit.fields["code"] == nil }

    /// Texts a code.
    ///
    /// - Parameter factor: For a path.
    /// - Returns: The challenge's id.
    mutating func challenge(_ factor: String) async throws -> String {
        let json = try await visit.callAsUser(.post, "/factors/\(factor)/challenge")
        return try AuthFactorChallenge(json: json).id.uuidString.lowercased()
    }

    mutating func verifyText(at path: String) async throws -> AuthJSON {
        try await visit.callAsUser(
            .post, path + "/verify",
            ["challenge_id": .string(visit.challengeOfForm), "code": .string(visit.typedCode)])
    }

    func textButton(_ phone: AuthFactor, isOnly: Bool) -> Block {
        let title = say("Use a Text Message")
        return .form(
            Form(
                action: path, hidden: [("act", "text"), ("factor", phone.id.uuidString.lowercased())],
                button: isOnly ? title : "\(title) (\(visit.shownNumber(phone.phone ?? "")))", style: .plain))
    }

    mutating func textPage() async throws -> Page {
        let isRepeated = visit.fields["challenge"] != nil
        var page = textPage(try await phone(), try await challenge(visit.factorOfForm))
        if isRepeated { page.notice = visit.notice(.textSent) }
        return page
    }

    /// - Returns: nil unless a texted code is awaited.
    mutating func textPage(after refusal: CallRefusal) async throws -> Page? {
        guard visit.fields["act"] == "text", visit.fields["challenge"] != nil, !refusal.needsProof else { return nil }
        return textPage(try await phone(), visit.challengeOfForm, refusal)
    }

    /// The form's factor.
    private mutating func phone() async throws -> String {
        let phones = SecondSteps(try await visit.user()).phones
        return phones.first { $0.id.uuidString.lowercased() == visit.factorOfForm }?.phone ?? ""
    }

    private func textPage(_ number: String, _ challenge: String, _ refusal: CallRefusal? = nil) -> Page {
        var page = Page(say("Confirm It's You"))
        page.blocks = [.text(say("We've sent a code to %@.", CallingCode.formatted(number)))]
        page.blocks += visit.textedCodeForms(
            at: path, again: path, refusal,
            hidden: [("act", "text"), ("factor", visit.factorOfForm), ("challenge", challenge)])
        page.blocks.append(.links([Link(title: say("Use Another Way"), address: path)]))
        page.show(visit.textedCodeNotice(refusal))
        return page
    }
}
