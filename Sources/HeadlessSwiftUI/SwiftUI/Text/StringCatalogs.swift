import Synchronization

/// The loaded catalogues; each is read only once.
package final class StringCatalogs: Sendable {
    private let read = Mutex<[URL: StringCatalog]>([:])

    package init() {}

    package func catalog(of bundle: Bundle, table: String = "Localizable") -> StringCatalog? {
        catalog(at: bundle.url(forResource: table, withExtension: "xcstrings"))
    }

    private func catalog(at file: URL?) -> StringCatalog? {
        guard let file else { return nil }
        return read.withLock { read in
            if let catalog = read[file] { return catalog }
            // Lost: why a catalogue is unreadable. Its keys are then shown, as in an app.
            guard let data = try? Data(contentsOf: file), let catalog = try? StringCatalog(data) else { return nil }
            read[file] = catalog
            return catalog
        }
    }
}
