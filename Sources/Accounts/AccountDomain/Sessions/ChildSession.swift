package import GatehouseWire

/// A session that another one opened: it ends with that one, and cannot change the account.
package struct ChildSession: Sendable {
    package static let longestName = 100
    package static let mostOfParent = 10
    package static let lifetimes: ClosedRange<Int64> = 60...365 * 86_400

    package let parent: SessionID
    package let kind: ChildSessionKind
    package let name: String

    package init(parent: SessionID, kind: ChildSessionKind, name: String) {
        (self.parent, self.kind, self.name) = (parent, kind, name)
    }

    /// - Parameter stored: See ``json``.
    package init(parent: SessionID, stored: AuthJSON) {
        self.init(
            parent: parent, kind: ChildSessionKind(rawValue: stored["kind"]?.stringValue ?? ""),
            name: stored["name"]?.stringValue ?? "")
    }

    package var json: AuthJSON { ["kind": .string(kind.rawValue), "name": .string(name)] }
}

extension Session {
    /// A child with the parent's sign-in methods, and never a higher level.
    ///
    /// - Parameters:
    ///   - level: Of the caller's token, which can be lower than the session's.
    ///   - lifetime: nil for as long as the parent.
    package mutating func become(
        _ child: ChildSession, of parent: Session, at level: AssuranceLevel, for lifetime: Duration?
    ) {
        self.child = child
        entries = parent.entries
        factor = parent.factor
        if level < .aal2 {
            entries.removeSecondFactors()
            factor = nil
        }
        endsAt = lifetime.map { createdAt + $0 }
    }
}
