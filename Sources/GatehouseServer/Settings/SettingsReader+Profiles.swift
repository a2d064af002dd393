import GatehouseWire
import ProfileGateway

extension SettingsReader {
    /// Reads the files that add to profiles.
    mutating func profileFields() -> ConfiguredFields {
        let schema = file(.profileSchema) { try DataSchema(file: $0) }
        return ConfiguredFields(teams: file(.teamCatalogue) { try TeamCatalogue(file: $0) }, schema: schema)
    }

    private mutating func file<Value>(_ setting: Setting, _ read: ([UInt8]) throws -> Value) -> Value? {
        guard let path = text(setting) else { return nil }
        do {
            return try read(Array(GivenSettings.readText(path).utf8))
        } catch let unreadable as UnreadableFile {
            refuse(setting, "names a file that cannot be read: \(unreadable)")
        } catch JSONProblem.malformed(let reason) {
            refuse(setting, "names a file that is not JSON: \(reason)")
        } catch {
            refuse(setting, "names a file that cannot be used: \(error)")
        }
        return nil
    }
}
