import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import ScreenDriver

extension LiveApp {
    /// Bytes in a field.
    static let longestText = 16_384

    /// An app's `/actions` with `{"kind","run"}` and the kind's members: `id`, `text`, `name` and `value`. `run` is the
    /// start of the app that the user saw; optional.
    ///
    /// The response's `revision` includes everything sent so far. The status is 409 for an element that no longer
    /// exists, and the screen is sent again; 410 for a deleted phone or an app restarted since.
    func act(in app: ReferenceApp, _ request: Request, _ context: ServerContext) async throws -> Response {
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard length <= 4 * Self.longestText else { throw Refusal.bodyTooLarge(limit: 4 * Self.longestText) }
        let members = try await request.jsonMembers(context)
        let run = try members.string("run")
        guard let phone = await phone(of: request, app, run) else {
            throw Refusal(.gone, RefusalCode("phone_gone"), "The phone no longer exists.")
        }
        guard let isDone = try await perform(members, on: phone) else {
            throw Refusal(.badRequest, .validationFailed, "kind or one of its members is invalid.")
        }
        guard isDone else {
            throw Refusal(.conflict, RefusalCode("element_gone"), "The element is gone from the screen or disabled.")
        }
        let revision = await phone.frame.revision
        return Answer.json(capacity: 32) { writer in
            writer.beginObject()
            writer.name("revision")
            writer.value(Int64(revision))
            writer.endObject()
        }
    }

    @MainActor private func phone(of request: Request, _ app: ReferenceApp, _ run: String?) -> Phone? {
        guard let name = phoneName(request), let phone = phones.phone(name, app) else { return nil }
        return run == nil || run == phone.frame.run ? phone : nil
    }

    /// - Returns: nil for an unknown kind.
    @MainActor private func perform(_ members: JSONMembers, on phone: Phone) async throws -> Bool? {
        let id = try members.string("id") ?? ""
        switch try members.string("kind") {
        case "tap": return await phone.act(.tap, on: id)
        case "type":
            guard let text = try members.string("text"), text.utf8.count <= Self.longestText else { return nil }
            return await phone.act(.write(text), on: id)
        case "submit": return await phone.act(.submit, on: id)
        case "focus": return await phone.act(.focus(true), on: id)
        case "blur": return await phone.act(.focus(false), on: id)
        case "dismiss": await phone.dismiss()
        case "reload": return await phone.reload()
        case "browserClosed": await phone.closeBrowser()
        case "set":
            guard let name = try members.string("name"), let value = try members.string("value"),
                await phone.set(name, to: value)
            else { return nil }
        case "restart": try await phone.restart()
        case "forget": phones.forget(phone)
        default: return nil
        }
        return true
    }
}
