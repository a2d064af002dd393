package import Foundation
import Synchronization

/// Loads each catalogue only once.
package final class StringCatalogs: Sendable {
    private struct Place: Hashable {
        let bundle: Bundle
        let table: String
    }

    private let read = Mutex<[Place: StringCatalog?]>([:])

    package init() {}

    package func catalog(of bundle: Bundle, table: String = "Localizable") -> StringCatalog? {
        let place = Place(bundle: bundle, table: table)
        return read.withLock { read in
            if let catalog = read[place] { return catalog }
            let catalog = Self.catalog(at: bundle.url(forResource: table, withExtension: "xcstrings"))
            read[place] = .some(catalog)
            return catalog
        }
    }

    private static func catalog(at file: URL?) -> StringCatalog? {
        guard let file else { return nil }
        // Ignored: without a readable catalogue the keys are shown, as in an app.
        return try? StringCatalog(Data(contentsOf: file))
    }
}
