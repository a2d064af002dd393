import GatehouseWire

/// The rights of a caller of the admin API. Each includes the ones before it.
package enum OperatorRights: Int, CaseIterable, Comparable, Sendable {
    case read
    /// Also what an owner of an account asks support for: emails, unlocking, signing out.
    case help
    /// Also every change to accounts that are not operators'.
    case manage
    /// Also operators, and signing keys.
    case own

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
