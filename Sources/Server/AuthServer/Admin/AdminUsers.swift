import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension AdminHandlers {
    @Sendable func listUsers(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        let page = try query.pageRequest()
        let isAscending = try query.sortsAscending()
        let filter = try query.searchText("filter")
        let users = try await accounts.admin.list(filter: filter, ascending: isAscending, page: page)
        var response = Answer.json(capacity: 1_024 * (users.elements.count + 1)) { writer in
            writer.beginObject()
            // Without identities, as in Supabase Auth.
            writer.list("users", users.elements) { $0.user($1, showsIdentities: false) }
            writer.member("aud", accounts.audience)
            writer.endObject()
        }
        response.headers.append(contentsOf: query.pageHeaders("/admin/users", page, total: users.total))
        return response
    }

    @Sendable func createUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        var attributes = try attributes(body)
        try requireOwner(toGive: attributes.role, context)
        attributes.id = try newID(body)
        attributes.audience = try body.string("aud").flatMap { $0.isEmpty ? nil : $0 }
        guard attributes.email != nil || attributes.phone != nil else {
            throw Refusal.invalid("Cannot create a user without either an email or phone")
        }
        attributes.passwordHash = try await newPasswordHash(body)
        return try answer(
            await accounts.admin.create(attributes, from: try callers.device(request, context), at: runtime.now()))
    }

    @Sendable func readUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await namedAccount(context)
        return Answer.json { $0.user(account) }
    }

    /// Takes the members of creation except `id`, `aud` and `password_hash`. Merges metadata at the top level.
    @Sendable func changeUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = try userID(context)
        guard let account = try await accounts.admin.account(id), account.user.times.deletedAt == nil else {
            throw Refusal.unknownUser
        }
        let body = try await request.jsonMembers(context)
        var attributes = try attributes(body)
        try requireOwner(toGive: attributes.role, context)
        attributes.protectedRoles = context.operatorRights < .own ? settings.operatorRoles : []
        attributes.roleNeedsNewSignIn = settings.raisesRights(attributes.role, over: account.user.role)
        if let password = try body.secret("password"), !password.isEmpty {
            try await server.signIns.checkStrength(of: password, email: attributes.email?.text ?? account.user.email)
            attributes.passwordHash = try await server.signIns.hashed(password, for: .none)
        }
        let now = runtime.now()
        let outcome = try await accounts.admin.update(
            id, attributes, from: try callers.device(request, context), at: now)
        // A lock would refuse the new password.
        if attributes.passwordHash != nil, case .done = outcome {
            try await server.writeRefusals()
            try await server.locks.passwordChanged(of: account.user, at: now)
        }
        return try answer(outcome)
    }

    /// The body may be `{"should_soft_delete": bool}` or empty.
    @Sendable func deleteUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = try userID(context)
        let bytes = try await request.bytes(context)
        let isSoft = bytes.isEmpty ? false : try JSONMembers(bytes).bool("should_soft_delete") ?? false
        let isDone =
            isSoft
            ? try await accounts.softDelete(id, from: try callers.device(request, context), at: runtime.now())
            : try await accounts.delete(id, actor: nil, from: try callers.device(request, context), at: runtime.now())
        guard isDone else { throw Refusal.unknownUser }
        return Answer.json(Array("{}".utf8))
    }

    /// - Throws: ``Refusal`` 404, `validation_failed` for an invalid UUID, else `user_not_found`.
    func namedAccount(_ context: ServerContext) async throws -> Account {
        guard let account = try await accounts.admin.account(userID(context)) else { throw Refusal.unknownUser }
        return account
    }

    private func answer(_ outcome: AdminOutcome) throws -> Response {
        switch outcome {
        case .done(let account): return Answer.json { $0.user(account) }
        case .emailTaken: throw Refusal.emailTaken
        case .phoneTaken: throw Refusal.phoneTaken
        case .idTaken: throw Refusal(.unprocessableContent, .userAlreadyExists, "A user with this id exists")
        case .unknownUser: throw Refusal.unknownUser
        case .refusedRole: throw Refusal.operatorRole
        case .metadataTooLong: throw server.signIns.metadataTooLong
        }
    }

    func userID(_ context: ServerContext) throws -> UserID {
        guard let id = context.parameters.get("user_id").flatMap({ UserID($0) }) else {
            throw Refusal(.notFound, .validationFailed, "user_id must be an UUID")
        }
        return id
    }

    private func attributes(_ body: JSONMembers) throws -> AdminAttributes {
        var attributes = AdminAttributes()
        attributes.role = try body.string("role").flatMap { $0.isEmpty ? nil : $0 }
        if let text = try body.string("email"), !text.isEmpty {
            guard let email = EmailAddress(text) else {
                throw Refusal.invalid("Unable to validate email address: invalid format")
            }
            attributes.email = email
        }
        if let text = try body.string("phone"), !text.isEmpty {
            attributes.phone = try PhoneNumber(checking: text)
        }
        attributes.confirmsEmail = try body.bool("email_confirm") ?? false
        attributes.confirmsPhone = try body.bool("phone_confirm") ?? false
        attributes.userMetadata = try body.object("user_metadata")
        attributes.appMetadata = try body.object("app_metadata")
        try server.signIns.checkDepth(of: attributes.userMetadata)
        try server.signIns.checkDepth(of: attributes.appMetadata)
        attributes.ban = try ban(body)
        attributes.banReason = try banReason(body)
        return attributes
    }

    private func ban(_ body: JSONMembers) throws -> AdminAttributes.Ban? {
        guard let text = try body.string("ban_duration"), !text.isEmpty else { return nil }
        if text == "none" { return .lifted }
        guard let duration = Duration(go: text) else {
            throw Refusal.invalid("invalid format for ban duration: a number with a unit such as 24h, or none")
        }
        return .lasting(duration)
    }

    /// Only operators see it.
    private func banReason(_ body: JSONMembers) throws -> String? {
        guard let text = try body.string("ban_reason"), !text.isEmpty else { return nil }
        guard text.utf8.count <= BanNote.longestReason, !text.utf8.contains(0) else {
            throw Refusal.invalid("ban_reason must be at most \(BanNote.longestReason) bytes without NUL")
        }
        return text
    }

    private func newID(_ body: JSONMembers) throws -> UserID? {
        guard let text = try body.string("id"), !text.isEmpty else { return nil }
        guard let id = UserID(text) else { throw Refusal.invalid("ID must conform to the uuid v4 format") }
        guard !id.isNil else { throw Refusal.invalid("ID cannot be a nil uuid") }
        return id
    }

    /// Administrators may set weak passwords. nil if the account gets no password.
    private func newPasswordHash(_ body: JSONMembers) async throws -> Secret? {
        let password = try body.secret("password") ?? Secret("")
        let hash = try body.secret("password_hash") ?? Secret("")
        guard password.isEmpty || hash.isEmpty else {
            throw Refusal.invalid("Only a password or a password hash should be provided")
        }
        if !hash.isEmpty {
            guard let stored = StoredHash(hash.reveal()) else {
                throw Refusal.invalid("password_hash has an unsupported format")
            }
            guard stored.isAffordable else {
                throw Refusal.invalid("password_hash costs too much to check: \(StoredHash.importLimits)")
            }
            return hash
        }
        guard !password.isEmpty else { return nil }
        do throws(PasswordRefusal) { try PasswordPolicy.checkForm(of: password) } catch {
            throw server.signIns.refusal(of: error)
        }
        return try await server.signIns.hashed(password, for: .none)
    }
}

extension Refusal {
    static let unknownUser = Refusal(.notFound, .userNotFound, "User not found")
}
