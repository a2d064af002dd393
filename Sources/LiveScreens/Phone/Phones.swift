import Foundation
import GatehouseWire

/// The phones in use. The one that was idle for longest makes room for a new one.
@MainActor final class Phones {
    static let limit = 16

    private let service: PhoneService
    /// In the order of their last use.
    private var phones: [Phone] = []

    nonisolated init(_ service: PhoneService) { self.service = service }

    var count: Int { phones.count }

    /// - Returns: nil for a name that no phone has.
    func phone(_ name: String) -> Phone? {
        guard let index = phones.firstIndex(where: { $0.name == name }) else { return nil }
        let phone = phones.remove(at: index)
        phones.append(phone)
        return phone
    }

    /// The phone of that name, a new one if need be.
    ///
    /// - Throws: What ``Phone`` throws.
    func open(_ name: String) throws -> Phone {
        if let phone = phone(name) { return phone }
        let phone = try Phone(name, service)
        while phones.count >= Self.limit { phones.removeFirst().close() }
        phones.append(phone)
        return phone
    }

    /// The phone that waits for a browser at this address.
    func phone(ticket: String) -> Phone? { phones.first { $0.ticket == ticket } }

    /// Throws a phone away, with all that it has kept.
    func forget(_ name: String) {
        phones.removeAll { phone in
            guard phone.name == name else { return false }
            phone.close()
            return true
        }
    }
}
