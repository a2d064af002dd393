package import GatehouseWire

package indirect enum CBORValue: Equatable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(ExternalName)
    case array([CBORValue])
    case map(CBORMap)
    case bool(Bool)
    case null

    package var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }

    package var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

    package var textValue: ExternalName? { if case .text(let value) = self { value } else { nil } }

    package var arrayValue: [CBORValue]? { if case .array(let value) = self { value } else { nil } }

    package var mapValue: CBORMap? { if case .map(let value) = self { value } else { nil } }
}

package struct CBORMap: Equatable, Sendable {
    enum Key: Hashable {
        case integer(Int64)
        case text(ExternalName)
    }

    private var members: [Key: CBORValue] = [:]

    package init() {}

    package var count: Int { members.count }

    package subscript(label: Int64) -> CBORValue? { members[.integer(label)] }

    package subscript(name: ExternalName) -> CBORValue? { members[.text(name)] }

    /// - Returns: Whether the key is new. An existing key keeps its value.
    mutating func insert(_ value: CBORValue, for key: Key) -> Bool {
        guard members[key] == nil else { return false }
        members[key] = value
        return true
    }
}
