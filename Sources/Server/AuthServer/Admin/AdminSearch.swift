import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension AdminHandlers {
    /// An extension whose pages cost the same for any number of accounts. Members without a value are absent; the last
    /// page has no `next`. `limit` is 1 to 100, default 50.
    @Sendable func searchUsers(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        let (search, limit) = (try accountSearch(query), try query.listLimit())
        let counts = query["counts"] == "true" ? try await accounts.admin.counts() : nil
        let page = try await refusingCursor {
            try await accounts.admin.search(search, after: query["after"], limit: limit, at: runtime.now())
        }
        return Answer.json(capacity: 512 * (page.accounts.count + 1)) { writer in
            writer.beginObject()
            writer.list("users", page.accounts) { $0.foundAccount($1) }
            writer.member("next", ifPresent: page.next)
            if page.isIncomplete { writer.member("is_incomplete", true) }
            if page.isCut { writer.member("is_cut", true) }
            if let counts { writer.counts(counts) }
            writer.endObject()
        }
    }

    /// Entries by the user and about the account, and its mails, newest first, for deleted users as well. `limit` is 1
    /// to 100 of each, default 50.
    @Sendable func listUserHistory(_ request: Request, _ context: ServerContext) async throws -> Response {
        let user = try userID(context)
        let history = try await accounts.admin.history(of: user, limit: try Query(request).listLimit())
        if history.isEmpty, try await accounts.admin.account(user) == nil { throw Refusal.unknownUser }
        return Answer.json(capacity: 512 * (history.audit.count + history.mails.count + 1)) { writer in
            writer.beginObject()
            writer.list("audit", history.audit) { $0.auditEntry($1) }
            writer.list("mails", history.mails) { $0.sentMail($1) }
            writer.endObject()
        }
    }

    /// The console's view of a user, in five statements. `limit` is 1 to 100, default 20.
    @Sendable func showUserOverview(_ request: Request, _ context: ServerContext) async throws -> Response {
        let limit = try Query(request).listLimit(or: 20)
        let found = try await accounts.admin.overview(of: try userID(context), limit: limit, at: runtime.now())
        guard let found else { throw Refusal.unknownUser }
        let isOperator = settings.rights(of: found.account.user.role) != nil
        let rights = isOperator && context.operatorRights < .own ? .read : context.operatorRights
        return Answer.json(capacity: 512 * (found.history.audit.count + found.history.mails.count + 8)) { writer in
            writer.beginObject()
            writer.name("user")
            writer.user(found.account)
            writer.member("rights", "\(rights)")
            if let profile = found.profile { writer.member("profile", json: profile) }
            writer.list("sessions", found.sessions) { $0.sessionOnDevice($1) }
            writer.list("ended", found.ended) { $0.endedSession($1) }
            writer.list("audit", found.history.audit) { $0.auditEntry($1) }
            writer.list("mails", found.history.mails) { $0.sentMail($1) }
            writer.endObject()
        }
    }

    func refusingCursor<Page>(_ search: () async throws -> Page) async throws -> Page {
        do { return try await search() } catch is MalformedCursor {
            throw Refusal.invalid("after must be a value of next for the same search")
        }
    }

    private func accountSearch(_ query: Query) throws -> AccountSearch {
        var search = AccountSearch()
        search.text = try query.searchText("q", atMost: AccountSearch.longestText)
        if let order = query["order"] {
            guard order == "newest" || order == "oldest" else {
                throw Refusal.invalid("order must be newest or oldest")
            }
            search.isOldestFirst = order == "oldest"
        }
        search.method = try query.searchText("method", atMost: AccountSearch.longestText)
        if let text = query["state"] {
            guard let state = AccountSearch.State(text: text) else {
                let known = AccountSearch.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal.invalid("state must be one of \(known)")
            }
            search.state = state
        }
        search.seenAfter = try query.time("seen_after")
        search.seenBefore = try query.time("seen_before")
        return search
    }
}

extension JSONWriter {
    fileprivate mutating func foundAccount(_ account: FoundAccount) {
        beginObject()
        member("id", account.id.text)
        member("email", ifPresent: account.email)
        member("phone", ifPresent: account.phone)
        member("full_name", ifPresent: account.fullName)
        member("created_at", account.createdAt)
        member("last_sign_in_at", ifPresent: account.lastSignInAt)
        member("email_confirmed_at", ifPresent: account.emailConfirmedAt)
        member("banned_until", ifPresent: account.bannedUntil)
        member("deleted_at", ifPresent: account.deletedAt)
        member("is_anonymous", account.isAnonymous)
        list("providers", account.providers) { $0.value($1) }
        endObject()
    }

    fileprivate mutating func counts(_ counts: AccountCounts) {
        var all: AuthJSONObject = ["total": counts.total.json]
        for (state, count) in counts.states { all[state.rawValue] = count.json }
        member("counts", .object(all))
    }

    fileprivate mutating func sentMail(_ mail: MailStatus) {
        beginObject()
        member("id", mail.id)
        member("kind", mail.kind)
        member("state", mail.state)
        member("reason", ifPresent: mail.reason)
        member("created_at", mail.createdAt)
        member("ended_at", ifPresent: mail.endedAt)
        endObject()
    }
}

extension AccountCounts.Count {
    fileprivate var json: AuthJSON {
        ["count": .integer(Int64(number)), "precision": .string(precision.rawValue)]
    }
}
