import GatehouseWire
import HTTPTypes

extension Company {
    /// Who was chosen on the page: `person`, and `email` for the one whose address is typed.
    ///
    /// - Throws: ``PageRefusal`` for a person whom nobody knows, ``Visitor/AddressProblem`` for what was typed.
    func visitor(chosen choice: FormFields) throws -> Visitor {
        guard let person = Person.cast(of: self).first(where: { $0.id == choice["person"] }) else {
            throw PageRefusal("invalid_request", "There is no such person.", found: choice["person"])
        }
        return try Visitor(person, typed: choice["email"], at: self)
    }

    /// The same for the switches, in JSON.
    ///
    /// - Throws: ``OAuthRefusal`` `invalid_request`, or what the members throw for a wrong type.
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
