import Foundation
import GatehouseWire

/// One phone per browser and app. A new one replaces the one that was idle for longest.
@MainActor final class Phones {
    static let limit = 16

    private let service: PhoneService
    /// In order of their last use.
    private var phones: [Phone] = []

    nonisolated init(_ service: PhoneService) { self.service = service }

    var count: Int { phones.count }

    func phone(_ name: String, _ app: ReferenceApp) -> Phone? {
        guard let index = phones.firstIndex(where: { $0.name == name && $0.app == app }) else { return nil }
        let phone = phones.remove(at: index)
        phones.append(phone)
        return phone
    }

    /// Creates the phone if needed.
    func open(_ name: String, _ app: ReferenceApp) throws -> Phone {
        if let phone = phone(name, app) { return phone }
        let phone = try Phone(name, app, service)
        while phones.count >= Self.limit { phones.removeFirst().close() }
        phones.append(phone)
        return phone
    }

    func phone(ticket: String) -> Phone? { phones.first { $0.ticket == ticket } }

    func forget(_ phone: Phone) {
        phones.removeAll { $0 === phone }
        phone.close()
    }
}
