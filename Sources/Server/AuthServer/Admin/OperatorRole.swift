import AccountDomain
import AccountStore
import GatehouseWire
package import HTTPServing
import HTTPTypes
package import Hummingbird

/// The role of an account that is an operator with limited rights, and of its tokens.
package enum OperatorRole: String, CaseIterable, Sendable {
    case auditor = "gatehouse_auditor"
    case support = "gatehouse_support"
    case administrator = "gatehouse_administrator"

    package var rights: OperatorRights {
        switch self {
        case .auditor: .read
        case .support: .help
        case .administrator: .manage
        }
    }
}

extension AuthSettings {
    /// nil for a user's role.
    package func rights(of role: String) -> OperatorRights? {
        // Roles are compared as bytes.
        if adminRoles.contains(where: { $0.utf8.elementsEqual(role.utf8) }) { return .own }
        return OperatorRole.allCases.first { $0.rawValue.utf8.elementsEqual(role.utf8) }?.rights
    }

    package func raisesRights(_ role: String?, over former: String) -> Bool {
        guard let rights = role.flatMap(rights) else { return false }
        return self.rights(of: former).map { rights > $0 } ?? true
    }

    /// The owners' roles first.
    package var operatorRoles: [String] { adminRoles + OperatorRole.allCases.map(\.rawValue) }
}

extension Callers {
    /// Admits operators with these rights. Other operators than owners change no operator's account.
    package func requireOperator(
        _ rights: OperatorRights
    ) -> @Sendable (Request, inout ServerContext) async throws -> Void {
        { request, context in
            try await requireAdmin(request, &context)
            guard context.operatorRights >= rights else { throw Refusal.operatorRole }
            guard rights > .read, context.operatorRights < .own,
                let id = context.parameters.get("user_id").flatMap({ UserID($0) }),
                let user = try await accounts.admin.account(id)?.user, settings.rights(of: user.role) != nil
            else { return }
            throw Refusal.operatorRole
        }
    }

    /// A GET has no time limit unless `waits` is true.
    ///
    /// - Parameter rights: Default: to read for a GET, else to manage.
    func administered(
        _ method: HTTPRequest.Method, _ path: String, for rights: OperatorRights? = nil, slash: Bool = false,
        waits: Bool? = nil, _ handler: @escaping Route.Handler
    ) -> Route {
        Route(
            method, path, acceptsTrailingSlash: slash,
            guardedBy: requireOperator(rights ?? (method == .get ? .read : .manage)),
            timeLimit: waits ?? (method != .get) ? runtime.requestTimeLimit : nil, handler)
    }
}

extension AdminHandlers {
    /// Only owners give or take an operator's role.
    ///
    /// - Throws: ``Refusal`` 403 `insufficient_operator_role`.
    func requireOwner(toGive role: String?, _ context: ServerContext) throws {
        guard context.operatorRights < .own, let role, settings.rights(of: role) != nil else { return }
        throw Refusal.operatorRole
    }

    /// Only owners change an operator, or get a link that signs in as one.
    ///
    /// - Throws: ``Refusal`` 403 `insufficient_operator_role`.
    func requireOwner(toChange email: EmailAddress, _ context: ServerContext) async throws {
        guard context.operatorRights < .own, let user = try await accounts.signIns.account(email: email)?.user,
            settings.rights(of: user.role) != nil
        else { return }
        throw Refusal.operatorRole
    }
}

extension Refusal {
    static let operatorRole = Refusal(
        .forbidden, .insufficientOperatorRole, "Your operator role does not allow this")
}
