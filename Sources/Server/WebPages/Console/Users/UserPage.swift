import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

struct UserPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/users/{user_id}") { try await $0.show() }
    ]

    mutating func show() async throws -> Outcome {
        let json = try await callAsAdmin(.get, "/admin/users/\(userID)/overview?limit=20")
        let user = FoundUser(json["user"] ?? .null)
        var page = Page(user.title)
        page.back = (ConsolePlace.users.title, ConsolePlace.users.path)
        let diagnosis = try await callAsAdmin(.get, "/admin/users/\(userID)/diagnosis")
        var facts = user.facts(at: pages.now())
        if let ban = diagnosis["ban"] {
            let reason = ban["reason"]?.stringValue ?? ""
            if !reason.isEmpty { facts.append(Fact("Reason of the ban", reason.shown)) }
            facts.append(Fact("Banned by", (ban["actor_username"]?.stringValue ?? "–").shown))
        }
        page.blocks = diagnosisBlocks(user, diagnosis)
        page.blocks += [.heading("Account"), .facts(facts), .actions(user.acts(at: pages.now()))]
        page.blocks += ProfileFacts(json["profile"]).blocks
        page.blocks += [.heading("Identities"), .table(user.identities)]
        page.blocks += [.heading("Second factors"), .table(user.factors)]
        if !user.setAside.rows.isEmpty { page.blocks += [.heading("Set aside"), .table(user.setAside)] }
        page.blocks += user.otherPages
        page.blocks += try sessionBlocks(user, json)
        page.blocks += metadata("User metadata", user.json["user_metadata"])
        page.blocks += metadata("App metadata", user.json["app_metadata"])
        page.blocks += [.heading("Audit trail"), .table(auditTable(json["audit"]?.arrayValue ?? []))]
        page.blocks += [.heading("Emails"), .table(mailTable(json["mails"]?.arrayValue ?? []))]
        page.offerOnly(rights(json))
        return .page(page)
    }

    private func rights(_ json: AuthJSON) -> OperatorRights {
        OperatorRights.allCases.first { "\($0)" == json["rights"]?.stringValue } ?? .own
    }

    private func sessionBlocks(_ user: FoundUser, _ json: AuthJSON) throws -> [Block] {
        let (active, clients) = (try SessionInfo.list(json: json), json.clientsOfSessions)
        var table = Table(
            caption: "Active sessions", columns: ["Device", "Address", "Signed in", "Last used", "Action"])
        table.empty = "The user is not signed in anywhere."
        table.rows = active.prefix(20).map { session in
            let id = session.id.uuidString.lowercased()
            return [
                cell(session, client: clients[session.id]),
                Cell(session.ipAddress?.shown ?? "–"), Cell(Moment.text(session.createdAt)),
                Cell(Moment.text(session.lastUsedAt)),
                Cell("Revoke", address: "\(user.path)/end-session?session=\(id)"),
            ]
        }
        var blocks: [Block] = [.heading("Sessions"), .table(table)]
        if active.count > 20 { blocks.append(.soft("And \(active.count - 20) more.")) }
        if !active.isEmpty {
            blocks.append(.actions([Link(title: "Revoke All Sessions", address: user.path + "/end-sessions")]))
        }
        blocks += [.heading("Ended sessions"), .table(endedTable(json["ended"]?.arrayValue ?? []))]
        return blocks
    }

    private func cell(_ session: SessionInfo, client: String?) -> Cell {
        let (name, details) = (session.device?.name ?? "Unknown device", session.device?.details)
        guard let client else { return Cell(name.shown, detail: details.map(\.shown)) }
        return Cell(client.shownInEnglish, detail: "Connected app on \(name.shown)")
    }

    private func endedTable(_ ended: [AuthJSON]) -> Table {
        var table = Table(caption: "Ended sessions", columns: ["Device", "Ended", "Why", "Request"])
        table.empty = "No ended sessions on record."
        table.rows = ended.map { session in
            let agent = session["user_agent"]?.stringValue
            return [
                Cell((agent.flatMap { DeviceName(userAgent: $0)?.name } ?? "Unknown device").shown),
                Cell(Moment.text(session["ended_at"])),
                // The story names who ended the session.
                session["story"]?.stringValue.map { Cell($0.shown) }
                    ?? Cell(
                        (session["reason"]?.stringValue ?? "–").shown,
                        detail: session["actor"]?.stringValue.map { "by \($0.shown)" }),
                request(session["request_id"]?.stringValue),
            ]
        }
        return table
    }

    /// Leads to the request's trace, if the link needs only the request's ID.
    func request(_ id: String?) -> Cell {
        Cell(id?.shown ?? "–", address: pages.settings.traceLink?.address(trace: nil, request: id))
    }

    private func auditTable(_ entries: [AuthJSON]) -> Table {
        var table = Table(caption: "Audit trail", columns: ["Action", "When", "By"])
        table.style = .audit
        table.rows = entries.map { entry in
            let payload = entry["payload"] ?? .null
            let name = payload["actor_username"]?.stringValue ?? ""
            let traits = payload["traits"].map { $0.text.shown }
            return [
                Cell((payload["action"]?.stringValue ?? "–").shown, detail: story(payload) ?? traits),
                Cell(Moment.text(entry["created_at"])), Cell(name.isEmpty ? "–" : name.shown),
            ]
        }
        return table
    }

    /// Explains an action with an unclear name.
    private func story(_ payload: AuthJSON) -> String? {
        let traits = payload["traits"]
        switch payload["action"]?.stringValue {
        case "credentials_set_aside":
            let methods = (traits?["methods"]?.arrayValue ?? []).compactMap { $0.stringValue?.shown }
            return "The first proof of the address set aside: \(methods.joined(separator: ", "))."
        case "credential_restored":
            return "Restored: \((traits?["method"]?.stringValue ?? "–").shown)."
        case "address_moved": return "The mailbox's owner started over with a new account."
        default: return nil
        }
    }

    private func mailTable(_ mails: [AuthJSON]) -> Table {
        var table = Table(caption: "Emails to this user", columns: ["Kind", "State", "Created", "Ended"])
        table.empty = "No emails on record."
        table.rows = mails.map { mail in
            [
                Cell((mail["kind"]?.stringValue ?? "–").shown),
                Cell((mail["state"]?.stringValue ?? "–").shown, detail: mail["reason"]?.stringValue.map(\.shown)),
                Cell(Moment.text(mail["created_at"])), Cell(Moment.text(mail["ended_at"])),
            ]
        }
        return table
    }

    private func metadata(_ title: String, _ json: AuthJSON?) -> [Block] {
        guard let json, json.objectValue?.isEmpty == false else { return [] }
        return [.heading(title), .code(json.indented(atMost: 9_000))]
    }
}

extension UserPage {
    /// Separate: the user's page makes enough calls already.
    mutating func passkeysPage() async throws -> Page {
        let user = FoundUser(try await callAsAdmin(.get, "/admin/users/\(userID)"))
        let passkeys = try AuthPasskey.list(json: await callAsAdmin(.get, "/admin/users/\(userID)/passkeys"))
        var page = Page("Passkeys: \(user.name)")
        page.back = (user.name, user.path)
        var table = Table(caption: "Passkeys", columns: ["Name", "Added", "Last used", "Action"])
        table.empty = "The user has no passkeys."
        table.rows = passkeys.prefix(100).map { passkey in
            let id = passkey.id.uuidString.lowercased()
            return [
                Cell(passkey.shownName, detail: passkey.setAsideAt.map { "Set aside \(Moment.text($0))" }),
                Cell(Moment.text(passkey.createdAt)),
                Cell(passkey.lastUsedAt.map(Moment.text) ?? "–"),
                Cell("Remove", address: "\(user.path)/remove-passkey?id=\(id)"),
            ]
        }
        page.blocks = [.table(table)]
        page.offerOnly(visit.operatorRights(over: user))
        return page
    }
}

extension Moment {
    static func text(_ date: Date) -> String {
        text(.string("\(Instant(microseconds: Int64(date.timeIntervalSince1970 * 1_000_000)))"))
    }
}

extension FoundUser {
    fileprivate func facts(at now: Instant) -> [Fact] {
        var facts = [
            Fact("State", badges(at: now)), Fact("ID", id.shown), Fact("Created", Moment.text(json["created_at"])),
            Fact("Last sign-in", Moment.text(json["last_sign_in_at"])),
            Fact("Email confirmed", Moment.text(json["email_confirmed_at"])),
            Fact("Role", (json["role"]?.stringValue ?? "–").shown),
        ]
        if let phone = json["phone"]?.stringValue, !phone.isEmpty {
            facts += [
                Fact("Phone", CallingCode.formatted(phone).shown),
                Fact("Phone confirmed", Moment.text(json["phone_confirmed_at"])),
            ]
        }
        if let new = json["new_phone"]?.stringValue, !new.isEmpty {
            facts.append(Fact("New phone", CallingCode.formatted(new).shown))
        }
        if let new = json["new_email"]?.stringValue, !new.isEmpty { facts.append(Fact("New email", new.shown)) }
        if let former = json["former_email"]?.stringValue {
            facts.append(Fact("Former email", "\(former.shown), moved \(Moment.text(json["former_email_moved_at"]))"))
        }
        if isBanned(at: now) { facts.append(Fact("Banned until", Moment.text(json["banned_until"]))) }
        if isDeleted { facts.append(Fact("Deleted", Moment.text(json["deleted_at"]))) }
        return facts
    }

    fileprivate var identities: Table {
        var table = Table(caption: "Identities", columns: ["Method", "Email", "Linked", "Last used", "Action"])
        table.empty = "No sign-in method."
        table.rows = (json["identities"]?.arrayValue ?? []).prefix(20).map { identity in
            let data = identity["identity_data"]
            // The API's `id` is the provider's.
            let id = FormText.escape((identity["identity_id"]?.stringValue ?? "").cut(to: 64))
            return [
                Cell((identity["provider"]?.stringValue ?? "–").shown),
                Cell((identity["email"]?.stringValue ?? data?["email"]?.stringValue ?? "–").shown),
                Cell(Moment.text(identity["created_at"])), Cell(Moment.text(identity["last_sign_in_at"])),
                Cell("Remove", address: "\(path)/remove-identity?id=\(id)"),
            ]
        }
        return table
    }

    /// Credentials that open nothing until used with an emailed code.
    fileprivate var setAside: Table {
        var table = Table(caption: "Set aside", columns: ["Kind", "Name", "Since"])
        table.rows = (json["set_aside"]?.arrayValue ?? []).prefix(20).map { credential in
            let name = credential["name"]?.stringValue ?? credential["provider"]?.stringValue ?? "–"
            return [
                Cell((credential["type"]?.stringValue ?? "–").shown), Cell(name.shown),
                Cell(Moment.text(credential["set_aside_at"])),
            ]
        }
        return table
    }

    fileprivate var factors: Table {
        var table = Table(caption: "Second factors", columns: ["Kind", "State", "Added", "Action"])
        table.empty = "The user signs in without a second factor."
        table.rows = (json["factors"]?.arrayValue ?? []).prefix(20).map { factor in
            let kind = factor["factor_type"]?.stringValue ?? ""
            let isVerified = factor["status"]?.stringValue == "verified"
            let id = FormText.escape((factor["id"]?.stringValue ?? "").cut(to: 64))
            let removal = factor["removal_at"]?.stringValue.map { _ in "goes at \(Moment.text(factor["removal_at"]))" }
            return [
                Cell(Self.factorName(kind), detail: Self.detail(of: factor)),
                Cell(isVerified ? "In use" : "Not confirmed", detail: removal),
                Cell(Moment.text(factor["created_at"])), Cell("Remove", address: "\(path)/remove-factor?id=\(id)"),
            ]
        }
        return table
    }

    private static func detail(of factor: AuthJSON) -> String? {
        let name = factor["friendly_name"]?.stringValue.flatMap { $0.isEmpty ? nil : $0.shown }
        let number = factor["phone"]?.stringValue.flatMap { $0.isEmpty ? nil : CallingCode.formatted($0).shown }
        // An unnamed number is its own name.
        let isNamed = number == nil || !(name ?? "").utf8.elementsEqual((factor["phone"]?.stringValue ?? "").utf8)
        let both = [isNamed ? name : nil, number].compactMap(\.self)
        return both.isEmpty ? nil : both.joined(separator: ", ")
    }

    private static func factorName(_ kind: String) -> String {
        switch kind {
        case "totp": "Authenticator app"
        case "webauthn": "Security key"
        case "phone": "Phone number"
        case "recovery_code": "Recovery codes"
        default: kind.shown
        }
    }

    fileprivate func acts(at now: Instant) -> [Link] {
        guard !isDeleted else { return [] }
        return UserAct.allCases.filter { $0.fits(self, at: now) && !$0.isOfRow }
            .map { Link(title: $0.title, address: "\(path)/\($0.rawValue)") }
    }
}

extension AuthJSON {
    /// On several lines, cut to this length of HTML.
    func indented(atMost longest: Int) -> String {
        var text = indented("")
        var isCut = false
        while Markup(text).description.utf8.count > longest {
            text = text.cut(to: text.unicodeScalars.count * 3 / 4)
            isCut = true
        }
        return isCut ? text + "…" : text
    }

    private func indented(_ margin: String) -> String {
        let inner = margin + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
                .map { "\(inner)\(AuthJSON.string($0.name).text): \($0.value.indented(inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
        case .array(let elements) where !elements.isEmpty:
            return "[\n\(elements.map { inner + $0.indented(inner) }.joined(separator: ",\n"))\n\(margin)]"
        default: return text
        }
    }
}
