package import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
package import Logging

extension MailDelivery {
    /// Runs on any node: the database leases each mail once. A slow mail delays no other.
    ///
    /// - Parameter isStopping: When true, or when the task is cancelled, unstarted mails become due again immediately.
    /// - Returns: The number of mails tried or ended. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. Unreported mails become due again.
    package func workMails(
        _ lane: MailLane, logger: Logger, isStopping: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Int {
        guard let mailer = deliverer(of: lane) else { return 0 }
        let work = LeasedWork<ClaimedMail, Void>(
            beginning: MailSchedule.beginning, now: runtime.now, isStopping: isStopping,
            take: { try await takeMails(lane, mailer) },
            hasRoom: { _ in mailer.hasRoom(lane) }, begin: { _ in mailer.enter(lane) },
            attempt: { mail in
                let name = lane == .texts ? "send text" : "send email"
                await runtime.tracer.inSpan(name, .inside, beginsTrace: true) { _ in await send(mail, mailer, logger) }
                mailer.leave(lane)
            },
            isLast: { _ in false }, report: { _ in },
            giveBack: { mails in try await accounts.mailQueue.giveBack(mails, at: runtime.now()) },
            wait: { try await waitForMails(lane, atMost: .seconds(1)) })
        return try await work.run()
    }

    private func takeMails(_ lane: MailLane, _ mailer: Mailer) async throws -> (ended: Int, items: [ClaimedMail]) {
        let now = runtime.now()
        let (ended, left) = try await accounts.mails.endUnanswered(lane, limit: mailer.connections * 16, at: now)
        // Nothing is written while nothing is due.
        guard left > 0 else { return (ended, []) }
        let limit = min(left, mailer.connections * 8)
        return (ended, try await accounts.mailQueue.takeMails(lane, limit: limit, lease: mailer.lease, at: now))
    }

    /// Returns early if a mail of the lane is queued on this node.
    package func waitForMails(_ lane: MailLane, atMost duration: Duration) async throws {
        guard let mailer = deliverer(of: lane) else { return try await runtime.sleep(duration) }
        try await mailer.wait(lane, atMost: duration, sleep: runtime.sleep)
    }

    /// The lanes that this node works on.
    package var lanes: [MailLane] { MailLane.allCases.filter { deliverer(of: $0) != nil } }

    private func deliverer(of lane: MailLane) -> Mailer? { lane == .texts ? server.texter : mailer }

    /// For metrics and ``MailAdmission/requireRoom(in:)``.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func countMails() async throws {
        guard !lanes.isEmpty else { return }
        let (count, oldest) = try await accounts.mailQueue.mailBacklog()
        var waiting: [MailBudget: Instant] = [:]
        for budget in MailBudget.allCases {
            waiting[budget] = try await lastWaiting(for: budget)
        }
        for deliverer in [mailer, server.texter] { deliverer?.backlog.note(count, oldest: oldest, waiting: waiting) }
    }

    private func lastWaiting(for budget: MailBudget) async throws -> Instant? {
        let (now, queue) = (runtime.now(), accounts.mailQueue)
        if budget.dailyBucket != nil, try await queue.lastWaitingMail(budget.lane, budget.dailyReason, at: now) != nil {
            return now + .seconds(86_400)
        }
        return try await queue.lastWaitingMail(budget.lane, budget.reason, at: now)
    }

    private func send(_ claimed: ClaimedMail, _ mailer: Mailer, _ logger: Logger) async {
        do {
            var mail = claimed
            if case .request(let ask) = claimed.content, runtime.now() < claimed.expiresAt {
                guard let resolved = try await resolve(ask, of: claimed, mailer) else { return }
                mail = resolved
                // A change of address has a second mail.
                if ask.purpose == .emailChange { mailer.ring(.codes) }
            }
            if let wait = try await budgetWait(before: mail) {
                return try await accounts.mailQueue.postpone(mail, wait, at: runtime.now())
            }
            guard let result = try await result(of: mail, mailer) else {
                logger.event(.warning, "mail cannot be opened", [.name: mail.messageID])
                return
            }
            note(result, mail, logger)
            // In a separate task, so that stopping the node does not cause a delivered mail to be resent.
            try await Task { [mail] in
                try await accounts.mailQueue.report(result, of: mail, chance: mailer.chance(), at: runtime.now())
            }.value
        } catch {
            logger.event(.error, "mail could not be worked on", [.name: claimed.messageID, .cause: "\(error)"])
        }
    }

    /// Confirmed addresses have a separate budget that made-up sign-ups cannot use up. Requests for unknown addresses,
    /// invitations and notices are free.
    ///
    /// - Returns: nil if the mail need not wait.
    private func budgetWait(before mail: ClaimedMail) async throws -> MailWait? {
        // An expired mail ends instead of waiting.
        guard case .mail(let content) = mail.content, mail.attempt == 1, runtime.now() < mail.expiresAt,
            content.kind.lane != .invitations, !content.kind.isNotice, !content.isTest, let limiter = runtime.limiter
        else { return nil }
        let budget = MailBudget(for: content)
        if budget.lane == .codes, settings.confirmsAutomatically { return nil }
        if let phone = content.recipient.phone, let wait = try await shareWait(phone, budget, limiter) { return wait }
        for bucket in [budget.bucket, budget.dailyBucket].compactMap(\.self) {
            guard case .refused(let wait, _) = try await limiter.take(bucket, key: "all", at: runtime.now()) else {
                continue
            }
            let reason = bucket == budget.dailyBucket ? budget.dailyReason : budget.reason
            return MailWait(pause: wait, spacing: limiter.spacing(of: bucket) ?? .zero, reason: reason)
        }
        return nil
    }

    /// Limits messages to a number, a range of numbers and a country. Fraudsters who earn from messages use many
    /// numbers of a range. Confirmed numbers have shares of their own, and only messages count: requests for unknown
    /// numbers do not silence others.
    private func shareWait(
        _ phone: PhoneNumber, _ budget: MailBudget, _ limiter: RateLimiter
    ) async throws -> MailWait? {
        let shares = [
            (Limits.textNumber, phone.text), (Limits.textRange, String(phone.text.dropLast(4))),
            (Limits.textCountry, settings.texts?.place(of: phone) ?? ""),
        ]
        for (bucket, key) in shares {
            let key = "\(budget.bucket) \(Base64URL.text(TokenDigest.of(Secret(key))))"
            guard case .refused(let wait, _) = try await limiter.take(bucket, key: key, at: runtime.now()) else {
                continue
            }
            counts.texts.increment("none", "limited")
            return MailWait(pause: wait, spacing: .zero, reason: "over the share of its number, range or country")
        }
        return nil
    }

    /// - Returns: nil for a mail that this node cannot decrypt.
    private func result(of mail: ClaimedMail, _ mailer: Mailer) async throws -> MailResult? {
        guard runtime.now() < mail.expiresAt else { return .refused(reason: "expired") }
        guard case .mail(let content) = mail.content else { return nil }
        guard try await accounts.codes.isCurrent(content, at: runtime.now()) else {
            return .refused(reason: "its code is void")
        }
        let lifetime = settings.mail.map { content.kind == .invite ? $0.invitationLifetime : $0.codeLifetime } ?? .zero
        let outgoing = OutgoingMail(
            messageID: mail.messageID, content: content, link: link(of: content), siteURL: settings.redirects.siteURL,
            lifetime: content.kind == .linkConfirmation ? min(lifetime, LinkStore.ticketLifetime) : lifetime)
        if content.isTest { return .sent }
        guard let deliver = mailer.deliver else { return try await sendByHook(outgoing, to: mail.user) }
        return await deliver(outgoing)
    }

    /// - Returns: nil if there is nothing to send now.
    private func resolve(_ ask: MailAsk, of mail: ClaimedMail, _ mailer: Mailer) async throws -> ClaimedMail? {
        do {
            return try await server.creating { try await $0.mails.resolve(ask, of: mail, at: runtime.now()) }
        } catch let refusal as Refusal {
            let result: MailResult =
                refusal.cause is HookFailure
                ? .failed(reason: "hook: \(refusal.code)") : .refused(reason: "a hook refused the account")
            try await accounts.mailQueue.report(result, of: mail, chance: mailer.chance(), at: runtime.now())
            return nil
        }
    }

    private func note(_ result: MailResult, _ mail: ClaimedMail, _ logger: Logger) {
        guard case .mail(let content) = mail.content else { return }
        let isText = content.kind.lane == .texts
        let attempts = isText ? counts.texts : counts.mails
        let (later, never): (StaticString, StaticString) =
            isText
            ? ("text message not sent, will be tried again", "text message not sent")
            : ("mail not sent, will be tried again", "mail not sent")
        ActiveSpan.current?.note(result, content.kind)
        switch result {
        case .sent: attempts.increment(content.kind.rawValue, content.isTest ? "test" : "sent")
        case .failed(let reason):
            attempts.increment(content.kind.rawValue, "failed")
            logger.event(.warning, later, [.name: mail.messageID, .cause: reason])
        case .refused(let reason), .declined(let reason), .undeliverable(let reason):
            attempts.increment(content.kind.rawValue, "refused")
            logger.event(.warning, never, [.name: mail.messageID, .cause: reason])
        }
    }

    /// Encodes the target only where it must, as Supabase Auth does.
    private func link(of content: MailContent) -> String? {
        guard let type = content.kind.linkType, let token = content.linkToken else { return nil }
        return mailedLink(token, type: type, redirectTo: content.redirectTo)
    }

    func mailedLink(_ token: Secret, type: String, redirectTo: String) -> String {
        let needsEscape = redirectTo.utf8.contains { "&=#".utf8.contains($0) }
        let target = needsEscape ? FormText.escape(redirectTo) : redirectTo
        return "\(settings.externalURL)/verify?token=\(token.reveal())&type=\(type)&redirect_to=\(target)"
    }
}

extension ActiveSpan {
    fileprivate func note(_ result: MailResult, _ kind: MailKind) {
        let outcome =
            switch result {
            case .sent: "sent"
            case .failed: "failed"
            case .refused: "refused"
            case .declined: "declined"
            case .undeliverable: "undeliverable"
            }
        set(.mailKind, kind.rawValue)
        set(.mailOutcome, outcome)
        if result != .sent { fail(outcome) }
    }
}
