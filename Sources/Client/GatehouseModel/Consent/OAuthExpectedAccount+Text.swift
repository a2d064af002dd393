package import Gatehouse
import GatehouseWire

extension OAuthExpectedAccount {
    /// For display within another text; nil if unknown.
    package var shownName: String? {
        guard let name = name?.shownLine else { return nil }
        return name.contains(ascii: "@") ? name.shownAddress.isolated : name.shownNumber
    }
}
