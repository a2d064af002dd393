import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension IdentityHandlers {
    @Sendable func unlinkIdentity(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await linkingCaller(request, for: .removeSignInMethod)
        try await runtime.take(Limits.signInMethods, of: caller.limitKey)
        let outcome = try await accounts.links.unlink(
            try identityID(context), of: caller.user.id, keeping: caller.session?.id,
            from: try callers.device(request, context),
            at: runtime.now())
        _ = try account(outcome)
        return Answer.json(Array("{}".utf8))
    }

    /// Newest first: links of the last 30 days that can be undone completely.
    @Sendable func listUndoableLinks(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        let links = try await accounts.links.undoableLinks(of: caller.user.id, at: runtime.now())
        return Answer.json { writer in
            writer.beginObject()
            writer.list("links", links) { writer, link in
                writer.undoableLink(
                    identityID: link.identity.text,
                    provider: caller.account.identities.first { $0.id == link.identity }?.provider, rule: link.rule,
                    linkedAt: link.linkedAt, until: link.until)
            }
            writer.endObject()
        }
    }

    /// Also revokes every session that the identity opened.
    @Sendable func undoLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await linkingCaller(request, for: .removeSignInMethod)
        try await runtime.take(Limits.signInMethods, of: caller.limitKey)
        let outcome = try await accounts.links.undoLink(
            try identityID(context), of: caller.user.id, by: caller.session?.id,
            from: try callers.device(request, context),
            at: runtime.now())
        let left = try account(outcome)
        return Answer.json { $0.user(left) }
    }

    func identityID(_ context: ServerContext) throws -> IdentityID {
        guard let id = context.parameters.get("identity_id").flatMap({ IdentityID($0) }) else {
            throw Refusal(.notFound, .validationFailed, "identity_id must be an UUID")
        }
        return id
    }

    func account(_ outcome: UnlinkOutcome) throws -> Account {
        switch outcome {
        case .unlinked(let account): return account
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        case .tooLate:
            throw Refusal(.unprocessableContent, .linkNotUndoable, "The identity was not linked in the last 30 days")
        case .refused(.lastMethod):
            throw Refusal(
                .unprocessableContent, .singleIdentityNotDeletable,
                "User must have at least 1 identity after unlinking")
        case .refused(.notFound):
            throw Refusal(.unprocessableContent, .identityNotFound, "Identity doesn't exist")
        case .refused(.addressConflict):
            throw Refusal(
                .unprocessableContent, .emailConflictIdentityNotDeletable,
                "Unable to unlink identity: the remaining addresses belong to other accounts")
        }
    }
}
