import GatehouseWire
import HTTPServing
import HTTPTypes

extension Visit {
    /// - Throws: ``CallRefusal``, ``CallFailed``.
    mutating func offer() async throws -> ServerOffer { ServerOffer(settings: try await call(.get, "/settings")) }

    func methodName(_ provider: String) -> String {
        switch provider {
        case "email": say("Email and Password")
        case "phone": say("Phone Number")
        default: ProviderTitle.text(of: provider).shown
        }
    }

    func emailField(_ value: String? = nil, label: String? = nil) -> Field {
        Field(
            kind: .email, name: "email", label: label ?? say("Email"), value: value ?? "", autocomplete: "username",
            maximumLength: 254)
    }

    func passwordField(_ label: String, name: String = "password", isNew: Bool, minimum: Int? = nil) -> Field {
        Field(
            kind: .password, name: name, label: label, autocomplete: isNew ? "new-password" : "current-password",
            minimumLength: minimum, maximumLength: 256)
    }

    var codeField: Field {
        Field(kind: .code, name: "code", label: say("Code"), autocomplete: "one-time-code", maximumLength: 16)
    }

    /// ASCII letters and digits, converted from any script's digits, without the separators that mails and apps show.
    var typedCode: String {
        let scalars = (fields["code"] ?? "").cut(to: 256).unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
                return Unicode.Scalar(UInt8(ascii: "0") + UInt8(digit))
            }
            // Full-width letters of Japanese keyboards.
            let narrow = (0xFF21...0xFF5A).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
            return Unicode.Scalar(narrow).flatMap { $0.isASCII && $0.properties.isAlphabetic ? $0 : nil }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// For a path.
    var factorOfForm: String { FormText.escape((fields["factor"] ?? "").cut(to: 64)) }

    /// For a ``Ceremony``.
    var challengeOfForm: String { (fields["challenge"] ?? "").cut(to: 1_024) }

    var ceremonyProblem: String {
        fields[Ceremony.failure] == "InvalidStateError"
            ? passkeyExists
            : say("The passkey didn't work. Please try again.")
    }

    /// The code sets the typed password.
    ///
    /// - Parameter email: nil for the form's.
    func mailOfForm(_ kind: WebSession.AwaitedMail.Kind, of email: String? = nil, for handover: String?)
        -> WebSession.AwaitedMail
    {
        let typed = fields["password"] ?? ""
        return WebSession.AwaitedMail(
            kind: kind, email: (email ?? fields["email"] ?? "").cut(to: 254), handover: handover,
            // Longer passwords do not fit into the cookie; the user enters them again after the code.
            password: typed.utf8.count <= 256 ? Secret(typed) : nil)
    }
}
