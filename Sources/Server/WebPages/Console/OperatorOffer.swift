import GatehouseWire
import HTTPServing

// For display only: the admin API decides.
extension Visit {
    /// Of an operator who signed in with an account.
    private var operatorClaims: AuthJSON? {
        guard session.key == nil, let token = session.tokens?.access else { return nil }
        let parts = token.reveal().split(ascii: ".", maxSplits: 2)
        // Ignored: a token that this program did not issue.
        return parts.count == 3 ? Base64URL.decode(String(parts[1])).flatMap { try? JSONReader.read($0) } : nil
    }

    var operatorName: String? {
        session.key == nil ? operatorClaims?["email"]?.stringValue : "Secret API key"
    }

    /// An owner's without an account.
    var operatorRights: OperatorRights { OperatorRights(role: operatorClaims?["role"]?.stringValue) ?? .own }

    /// Only owners change an operator's account.
    func operatorRights(over user: FoundUser) -> OperatorRights {
        guard operatorRights < .own, let role = user.json["role"]?.stringValue else { return operatorRights }
        let isOwner = ["service_role", "supabase_admin"].contains { $0.utf8.elementsEqual(role.utf8) }
        let isOperator = isOwner || OperatorRights(role: role) != nil
        return isOperator ? .read : operatorRights
    }
}

extension OperatorRights {
    /// nil for another role: an owner's have the operator's names.
    fileprivate init?(role: String?) {
        switch role {
        case "gatehouse_auditor": self = .read
        case "gatehouse_support": self = .help
        case "gatehouse_administrator": self = .manage
        default: return nil
        }
    }

    var title: String {
        switch self {
        case .read: "Auditor"
        case .help: "Support"
        case .manage: "Administrator"
        case .own: "Owner"
        }
    }

    /// - Parameter path: Of the console. A form of a page needs more than its page.
    init(needed path: String, isForm: Bool) {
        let whole = path.split(ascii: "?", maxSplits: 1).first.map(String.init) ?? ""
        let parts = whole.dropFirst(Site.console.prefix.count).split(ascii: "/").map(String.init)
        switch (parts.first, parts.count) {
        case ("users", 3): self = UserAct(text: parts[2])?.rights ?? .read
        case ("invite-user", _), ("webhooks", 2): self = .help
        case ("mails", 2): self = parts[1] == "retry" ? .help : .manage
        case ("create-user", _), ("clients", 3): self = .manage
        case ("clients", 2): self = isForm || parts[1] == "new" ? .manage : .read
        case ("keys", 2): self = .own
        default: self = .read
        }
    }
}

extension Page {
    /// Removes the acts that need more rights. A page that asks about one says that it is not allowed.
    mutating func offerOnly(_ rights: OperatorRights) {
        func allows(_ path: String, isForm: Bool = false) -> Bool {
            OperatorRights(needed: path, isForm: isForm) <= rights
        }
        blocks = blocks.compactMap { block in
            switch block {
            case .actions(let links):
                let allowed = links.filter { allows($0.address) }
                return allowed.isEmpty ? nil : .actions(allowed)
            case .form(let form) where !allows(form.action, isForm: true):
                return .text("Your operator role does not allow this. Ask an owner of this server.")
            case .table(var table):
                table.rows = table.rows.map { row in
                    row.map { cell in
                        let isAllowed =
                            cell.address.map { allows($0) } ?? cell.form.map { allows($0.action, isForm: true) } ?? true
                        return isAllowed ? cell : Cell()
                    }
                }
                return .table(table)
            default: return block
            }
        }
    }
}
