import GatehouseWire
import ProfileGateway

extension SettingsReader {
    mutating func profileFields() -> ConfiguredFields {
        let schema = file(.profileSchema) { try DataSchema(file: $0) }
        return ConfiguredFields(teams: file(.teamCatalogue) { try TeamCatalogue(file: $0) }, schema: schema)
    }

    /// Limits the apps, because made-up events can add rows for each.
    mutating func countedApps() -> [String] {
        let apps = list(.telemetryApps)
        let isGood =
            apps.count <= 20
            && apps.allSatisfy { app in
                app.utf8.count <= 64 && app.utf8.allSatisfy { $0.isAlphanumeric || "_-.:".utf8.contains($0) }
            }
        if !isGood { refuse(.telemetryApps, "expected at most 20 names of at most 64 letters, digits and _-.:") }
        return apps
    }

    mutating func file<Value>(_ setting: Setting, _ read: ([UInt8]) throws -> Value) -> Value? {
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
