/// In Unicode scalars.
package enum ProfileLimits {
    package static let firstName = 50
    package static let name = 100
    package static let timezone = 64
}
