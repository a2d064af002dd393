import Foundation

extension AuthJSONObject {
    /// Encodes a value, such as an app's own fields of a profile. Dates become ISO 8601 texts in whole seconds, and an
    /// optional that is nil is left out.
    ///
    /// - Throws: `EncodingError`, also for a value that is not an object.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let bytes = [UInt8](try encoder.encode(value))
        let json: AuthJSON
        do throws(JSONProblem) { json = try JSONReader.read(bytes) } catch { throw Self.problem(value, "\(error)") }
        guard let object = json.objectValue else { throw Self.problem(value, "expected an object") }
        self = object
    }

    /// Decodes a value that ``init(encoding:)`` can have encoded.
    ///
    /// ```swift
    /// struct Journal: Codable { var mood: String? }
    /// let journal = try user.data.decoded(as: Journal.self)
    /// ```
    ///
    /// - Throws: `DecodingError` for a missing member, or for one of another type.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(AuthJSON.object(self).text.utf8))
    }

    private static func problem(_ value: some Encodable, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: description))
    }
}
