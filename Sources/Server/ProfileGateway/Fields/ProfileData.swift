import GatehouseWire
import HTTPServing

/// Limits of an app's custom fields.
enum ProfileData {
    /// As compact JSON.
    static let maximumBytes = 16_384
    /// `data` itself is the first level.
    static let maximumDepth = 8

    /// Checks `data` or a patch.
    ///
    /// - Returns: Compact JSON.
    /// - Throws: ``InvalidProfileChange`` with `DATA_TOO_DEEP` or `DATA_TOO_LARGE`.
    static func text(_ data: AuthJSON) throws(InvalidProfileChange) -> String {
        guard data.depth <= maximumDepth else {
            throw InvalidProfileChange(
                message: "data must have at most \(maximumDepth) levels.", code: RefusalCode("DATA_TOO_DEEP"),
                field: "/data")
        }
        let text = data.text
        guard text.utf8.count <= maximumBytes else {
            throw InvalidProfileChange(
                message: "data must have at most \(maximumBytes) bytes.", code: RefusalCode("DATA_TOO_LARGE"),
                field: "/data")
        }
        return text
    }

    /// - Parameter stored: A JSON object.
    /// - Returns: Compact JSON; nil if nothing changes.
    /// - Throws: ``InvalidProfileChange``, as ``text(_:)`` and with `INVALID_DATA` for a violation of the schema;
    ///   `JSONProblem` if the stored fields are damaged.
    static func text(after change: DataChange, of stored: String, _ schema: DataSchema?) throws -> String? {
        var data: AuthJSONObject = [:]
        switch change {
        case .keep: return nil
        case .clear: break
        case .merge(let patch):
            data = try JSONReader.read(stored).objectValue ?? [:]
            data.apply(mergePatch: patch)
        }
        let text = try Self.text(.object(data))
        do throws(DataViolation) { try schema?.check(.object(data), at: DataPath()) } catch {
            throw InvalidProfileChange(
                message: error.message, code: RefusalCode("INVALID_DATA"), field: error.path.pointer)
        }
        return text
    }
}
