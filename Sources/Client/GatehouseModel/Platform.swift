// The only platform switch of this target: a type of Apple's Foundation that does not exist on Linux.

#if canImport(Darwin)
public import Foundation

extension LocalizedStringResource {
    /// A model's text, looked up in a string catalogue.
    ///
    /// - Parameter bundle: The bundle with the catalogue: the app's own, which has the texts that it uses.
    public init(_ text: ModelText, bundle: BundleDescription = .main) {
        var format = String.LocalizationValue.StringInterpolation(
            literalCapacity: text.key.utf8.count, interpolationCount: text.arguments.count)
        for piece in text.pieces {
            format.appendLiteral(piece.literal)
            if let argument = piece.argument { format.appendInterpolation(argument) }
        }
        self.init(String.LocalizationValue(stringInterpolation: format), bundle: bundle)
    }
}
#endif
