import GatehouseWire

/// A passkey ceremony in the browser before a form is sent. A script shows the form and adds the browser's response.
struct Ceremony {
    enum Kind: String { case create, get }

    enum Start: String {
        case byPress = "press"
        /// As well as by a press, the browser offers passkeys in the field for the address.
        case inField = "field"
        /// A press has led to the page. A browser that wants another one leaves the form as it is.
        case atOnce = "once"
    }

    let kind: Kind
    /// The server's options, `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON`.
    let options: AuthJSON
    var start = Start.byPress

    /// The fields of the form that the script fills.
    static let (credential, failure) = ("credential", "failure")
    /// In bytes. The largest attestations are a few kilobytes.
    private static let longestCredential = 32_768

    /// The browser's answer.
    ///
    /// - Returns: nil for a form without one.
    static func answer(_ text: String?) -> AuthJSON? {
        guard let text, text.utf8.count <= longestCredential else { return nil }
        // Ignored: other text than JSON did not come from the page's script.
        guard let json = try? JSONReader.read(Array(text.utf8)), json.objectValue != nil else { return nil }
        return json
    }
}
