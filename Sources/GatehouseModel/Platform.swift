// The only platform switch of this target: a type of Apple's Foundation that does not exist on Linux.

#if canImport(Darwin)
public import Foundation

extension LocalizedStringResource {
    /// A model's text, looked up in a string catalogue.
    ///
    /// - Parameter bundle: The bundle with the catalogue: the app's own, which has the texts that it uses.
    public init(_ text: ModelText, bundle: BundleDescription = .main) {
        let literals = text.key.split(separator: "%@", omittingEmptySubsequences: false)
        var format = String.LocalizationValue.StringInterpolation(
            literalCapacity: text.key.utf8.count, interpolationCount: text.arguments.count)
        for (index, literal) in literals.enumerated() {
            format.appendLiteral(String(literal))
            if index < text.arguments.count, index + 1 < literals.count {
                format.appendInterpolation(text.arguments[index])
            }
        }
        self.init(String.LocalizationValue(stringInterpolation: format), bundle: bundle)
    }
}
#endif
