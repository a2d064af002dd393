import GatehouseWire
import HTTPServing
import HTTPTypes

// What several forms have, and what came with them.
extension Visit {
    /// - Throws: ``CallRefusal``, ``CallFailed``.
    mutating func offer() async throws -> ServerOffer { ServerOffer(settings: try await call(.get, "/settings")) }

    /// The name of a sign-in method.
    func methodName(_ provider: String) -> String {
        provider == "email" ? say("Email and Password") : ServerOffer.name(provider).shown
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

    /// The code of the form: its letters and digits in ASCII, whatever the script of the digits and the marks between
    /// them. Mails and apps show codes in groups.
    var typedCode: String {
        let scalars = (fields["code"] ?? "").cut(to: 256).unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
                return Unicode.Scalar(UInt8(ascii: "0") + UInt8(digit))
            }
            // Full-width letters, as Japanese keyboards write them.
            let narrow = (0xFF21...0xFF5A).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
            return Unicode.Scalar(narrow).flatMap { $0.isASCII && $0.properties.isAlphabetic ? $0 : nil }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Of the form, for a path.
    var factorOfForm: String { FormText.escape((fields["factor"] ?? "").cut(to: 64)) }

    /// Of a form with a ``Ceremony``.
    var challengeOfForm: String { (fields["challenge"] ?? "").cut(to: 1_024) }

    /// The message for a browser that could not complete the ceremony.
    var ceremonyProblem: String {
        fields[Ceremony.failure] == "InvalidStateError"
            ? passkeyExists
            : say("The passkey did not work. Please try again.")
    }

    /// The mail whose code sets the typed password.
    ///
    /// - Parameter email: nil for the form's.
    func mailOfForm(_ kind: WebSession.AwaitedMail.Kind, of email: String? = nil, for handover: String?)
        -> WebSession.AwaitedMail
    {
        let typed = fields["password"] ?? ""
        return WebSession.AwaitedMail(
            kind: kind, email: (email ?? fields["email"] ?? "").cut(to: 254), handover: handover,
            // A longer one would not fit into the session's cookie: its user enters it again after the code.
            password: typed.utf8.count <= 256 ? Secret(typed) : nil)
    }
}
