import Foundation
import Gatehouse

extension InMemoryServer {
    var factors: InMemoryFactors {
        get { InMemoryFactors(server: self) }
        set { self = newValue.server }
    }
    var linking: InMemoryLinking {
        get { InMemoryLinking(server: self) }
        set { self = newValue.server }
    }
    var mailing: InMemoryMailing {
        get { InMemoryMailing(server: self) }
        set { self = newValue.server }
    }
    var oauth: InMemoryOAuth {
        get { InMemoryOAuth(server: self) }
        set { self = newValue.server }
    }
    var passkeys: InMemoryPasskeys {
        get { InMemoryPasskeys(server: self) }
        set { self = newValue.server }
    }
    var phones: InMemoryPhones {
        get { InMemoryPhones(server: self) }
        set { self = newValue.server }
    }
    var proving: InMemoryProving {
        get { InMemoryProving(server: self) }
        set { self = newValue.server }
    }
    var routes: InMemoryRoutes {
        get { InMemoryRoutes(server: self) }
        set { self = newValue.server }
    }
}

protocol InMemoryPart: Sendable {
    var server: InMemoryServer { get set }
}

extension InMemoryPart {
    typealias Account = InMemoryServer.Account
    typealias Call = InMemoryServer.Call
    typealias Caller = InMemoryServer.Caller
    typealias Fault = InMemoryServer.Fault
    typealias Opened = InMemoryServer.Opened

    var settings: AuthServerSettings { server.settings }

    func account(_ id: UUID) -> Account? { server.account(id) }
    func account(email: String) -> Account? { server.account(email: email) }
    mutating func number() -> Int { server.number() }
    mutating func update(_ id: UUID, _ change: (inout Account) -> Void) { server.update(id, change) }

    mutating func open(_ id: UUID, by opener: UUID? = nil, at now: Date) throws(AuthClientError) -> Opened {
        try server.open(id, by: opener, at: now)
    }

    mutating func end(_ reason: SessionEndReason, _ isConcerned: ((key: Int, value: UUID)) -> Bool) {
        server.end(reason, isConcerned)
    }
}

struct InMemoryFactors: InMemoryPart { var server: InMemoryServer }

struct InMemoryLinking: InMemoryPart { var server: InMemoryServer }

struct InMemoryMailing: InMemoryPart { var server: InMemoryServer }

struct InMemoryOAuth: InMemoryPart { var server: InMemoryServer }

struct InMemoryPasskeys: InMemoryPart { var server: InMemoryServer }

struct InMemoryPhones: InMemoryPart { var server: InMemoryServer }

struct InMemoryProving: InMemoryPart { var server: InMemoryServer }

struct InMemoryRoutes: InMemoryPart { var server: InMemoryServer }
