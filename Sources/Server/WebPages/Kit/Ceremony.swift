import GatehouseWire

/// A passkey ceremony before a form is sent. A script shows the form and adds the response.
struct Ceremony {
    enum Kind: String { case create, get }

    enum Start: String {
        case byPress = "press"
        /// Also offers passkeys in the email field.
        case inField = "field"
        /// The user has already pressed a button. Browsers that require another press leave the form as it is.
        case atOnce = "once"
    }

    let kind: Kind
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON`.
    let options: AuthJSON
    var start = Start.byPress

    /// Filled by the script.
    static let (credential, failure) = ("credential", "failure")
    /// In bytes. The largest attestations are a few kilobytes.
    private static let longestCredential = 32_768

    static func answer(_ text: String?) -> AuthJSON? {
        guard let text, text.utf8.count <= longestCredential else { return nil }
        // Ignored: text that is not JSON did not come from the page's script.
        guard let json = try? JSONReader.read(Array(text.utf8)), json.objectValue != nil else { return nil }
        return json
    }
}
