/// Supabase's names where they exist.
package enum MailVariable: String, CaseIterable, Sendable {
    case appName = "AppName"
    case siteURL = "SiteURL"
    case email = "Email"
    case sendingTo = "SendingTo"
    case newEmail = "NewEmail"
    case oldEmail = "OldEmail"
    /// With the plus sign.
    case phone = "Phone"
    case oldPhone = "OldPhone"
    /// In the client's own words.
    case clientName = "ClientName"
    /// A connected client's scopes and resources in words.
    case access = "Access"
    /// The account page that removes a connected client.
    case appsURL = "AppsURL"
    /// The account page that reports the device.
    case reportURL = "ReportURL"
    case confirmationURL = "ConfirmationURL"
    case token = "Token"
    case tokenHash = "TokenHash"
    case redirectTo = "RedirectTo"
    /// A member of the user's metadata: `.Data.first_name`.
    case data = "Data"
    case lifetime = "Lifetime"
    case provider = "Provider"
    /// `totp`, `webauthn`, `phone` or `recovery_code`.
    case factorType = "FactorType"
    case removalTime = "RemovalTime"
    /// The product that stores a passkey.
    case authenticator = "Authenticator"
    case device = "Device"
    case time = "Time"
}

extension MailVariable {
    /// Generated or allowed by the server, so a link may begin with it.
    var isURL: Bool {
        [.confirmationURL, .siteURL, .redirectTo, .appsURL, .reportURL].contains(self)
    }

    /// Bytes. Longer text is cut; a longer URL is refused, because half of one leads elsewhere.
    package var limit: Int {
        switch self {
        case .siteURL, .confirmationURL, .redirectTo, .appsURL, .reportURL: 4_096
        case .access: 2_048
        case .data: 512
        case .email, .sendingTo, .newEmail, .oldEmail: 320
        case .tokenHash, .device: 256
        case .appName, .clientName, .lifetime, .provider, .authenticator, .factorType, .removalTime, .time: 128
        case .token, .phone, .oldPhone: 32
        }
    }
}
