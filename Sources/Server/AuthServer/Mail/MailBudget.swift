import AccountDomain
import GatehouseWire
import HTTPServing
import HTTPTypes

enum MailBudget: CaseIterable, Sendable {
    /// Confirmed addresses of accounts.
    case confirmed
    /// Other addresses, which may be made up.
    case others
    /// Likewise for text messages.
    case textsConfirmed, textsOthers

    static let ofMails: [MailBudget] = [.confirmed, .others]
    static let ofTexts: [MailBudget] = [.textsConfirmed, .textsOthers]

    init(for content: MailContent) {
        self =
            switch (content.kind.lane, content.isToConfirmed) {
            case (.texts, true): .textsConfirmed
            case (.texts, false): .textsOthers
            case (_, true): .confirmed
            case (_, false): .others
            }
    }

    var lane: MailLane { Self.ofTexts.contains(self) ? .texts : .codes }

    /// nil without a limit per day.
    var dailyBucket: String? {
        switch self {
        case .confirmed, .others: nil
        case .textsConfirmed: Limits.textsDaily
        case .textsOthers: Limits.otherTextsDaily
        }
    }

    var bucket: String {
        switch self {
        case .confirmed: Limits.mails
        case .others: Limits.otherMails
        case .textsConfirmed: Limits.texts
        case .textsOthers: Limits.otherTexts
        }
    }

    /// Stored with a mail that waits for the next day, and expires before.
    var dailyReason: String { reason.replacing("hourly", with: "daily") }

    /// Stored with a waiting mail.
    var reason: String {
        switch self {
        case .confirmed, .textsConfirmed: "over the hourly budget"
        case .others, .textsOthers: "over the hourly budget of unconfirmed addresses"
        }
    }
}

extension MailAdmission {
    /// Refuses a mail whose code would expire first. All users share the budgets, so this reveals nothing about an
    /// account.
    ///
    /// - Throws: ``Refusal`` 429 `over_email_send_rate_limit`.
    func requireRoom(in budgets: [MailBudget]) throws {
        guard !settings.confirmsAutomatically, let mailer, let mail = settings.mail, let limiter = runtime.limiter
        else {
            return
        }
        let expiresAt = runtime.now() + mail.codeLifetime
        for budget in budgets {
            guard let spacing = limiter.spacing(of: budget.bucket) else { throw Self.overBudget([:]) }
            guard let last = mailer.backlog.lastWaiting(for: budget), last + spacing > expiresAt else { continue }
            let pause = last + spacing - expiresAt
            throw Self.overBudget(Refusal.tooManyRequests(retryAfter: pause, bucket: budget.bucket).headers)
        }
    }

    private static func overBudget(_ headers: HTTPFields) -> Refusal {
        Refusal(.tooManyRequests, .overEmailSendRateLimit, "Email rate limit exceeded", headers: headers)
    }
}
