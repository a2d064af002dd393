import Foundation

extension AuthJSONObject {
    /// Encodes a value, such as a profile's custom fields. Dates become ISO 8601 in whole seconds; nil is omitted.
    /// Throws `EncodingError`, including for values that are not objects.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let bytes = [UInt8](try encoder.encode(value))
        let json: AuthJSON
        do throws(JSONProblem) { json = try JSONReader.read(bytes) } catch { throw Self.problem(value, "\(error)") }
        guard let object = json.objectValue else { throw Self.problem(value, "expected an object") }
        self = object
    }

    /// Decodes a value that ``init(encoding:)`` encoded. Throws `DecodingError`.
    ///
    /// ```swift
    /// struct Journal: Codable { var mood: String? }
    /// let journal = try user.data.decoded(as: Journal.self)
    /// ```
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(AuthJSON.object(self).text.utf8))
    }

    private static func problem(_ value: some Encodable, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: description))
    }
}
