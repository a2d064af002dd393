import GatehouseWire

extension UserPage {
    /// Why the user cannot sign in, from the admin API's diagnosis.
    func diagnosisBlocks(_ user: FoundUser, _ json: AuthJSON) -> [Block] {
        let findings = json["findings"]?.arrayValue ?? []
        let refusals = json["refusals"]?.arrayValue ?? []
        var blocks: [Block] = [.heading("Sign-in")]
        if findings.isEmpty {
            blocks.append(.text("Nothing stops this user's sign-ins."))
        } else {
            var table = Table(caption: "What sign-ins meet", columns: ["Finding", "What to do"])
            table.rows = findings.prefix(20).map { finding in
                var cell = Cell((finding["text"]?.stringValue ?? "–").shown)
                if finding["blocks"]?.boolValue == true { cell.badges = [Badge(text: "blocks", tone: .bad)] }
                return [cell, Cell((finding["advice"]?.stringValue ?? "–").shown)]
            }
            blocks.append(.table(table))
        }
        let isLocked = findings.contains { $0["code"] == "sign_in_locked" || $0["code"] == "second_factor_locked" }
        if isLocked {
            blocks.append(
                .actions([Link(title: UserAct.unlock.title, address: "\(user.path)/\(UserAct.unlock.rawValue)")]))
        }
        if !refusals.isEmpty { blocks.append(.table(refusalTable(refusals))) }
        return blocks
    }

    private func refusalTable(_ refusals: [AuthJSON]) -> Table {
        var table = Table(caption: "Refused sign-ins", columns: ["Refused", "Times", "Last", "From", "Request"])
        table.rows = refusals.prefix(20).map { refusal in
            let agent = refusal["user_agent"]?.stringValue.flatMap { DeviceName(userAgent: $0)?.name }
            let id = refusal["request_id"]?.stringValue
            let kind = [refusal["method"], refusal["code"], refusal["bucket"]].compactMap { $0?.stringValue?.shown }
            return [
                Cell((refusal["text"]?.stringValue ?? "–").shown, detail: kind.joined(separator: ", ")),
                Cell("\(refusal["count"]?.intValue ?? 1)", isNumber: true), Cell(Moment.text(refusal["last_at"])),
                Cell((refusal["ip"]?.stringValue ?? "–").shown, detail: agent?.shown),
                request(id),
            ]
        }
        return table
    }
}
