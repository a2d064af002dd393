import GatehouseWire
import HTTPTypes

extension SimulatedProvider {
    /// From the page's `person`, and `email` for the account with a typed address.
    ///
    /// - Throws: ``PageRefusal`` for an unknown account, ``Visitor/AddressProblem`` for an invalid address.
    func visitor(chosen choice: FormFields) throws -> Visitor {
        guard let person = Person.cast(of: self).first(where: { $0.id == choice["person"] }) else {
            throw PageRefusal("invalid_request", "There is no such person.", found: choice["person"])
        }
        return try Visitor(person, typed: choice["email"], at: self)
    }

    /// From a test control's JSON.
    func visitor(named members: JSONMembers) throws -> Visitor {
        let cast = Person.cast(of: self)
        let id = try members.string("person")
        guard let person = cast.first(where: { $0.id == id }) else {
            throw OAuthRefusal.invalidRequest("person has to be one of \(cast.map(\.id).joined(separator: ", ")).")
        }
        do {
            return try Visitor(person, typed: try members.string("email"), at: self)
        } catch let problem as Visitor.AddressProblem {
            throw OAuthRefusal.invalidRequest("email: \(problem.sentence)")
        }
    }
}
