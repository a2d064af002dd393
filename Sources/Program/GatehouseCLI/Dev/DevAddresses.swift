import DevStack
package import GatehouseWire

package struct DevAddresses: Sendable {
    /// Without a trailing slash.
    let url: String
    let publishableKey: String
    let secretKey: Secret
    let anonKey: String
    let serviceRoleKey: String
    let folder: String
    /// The simulated providers'.
    let apple: String?
    let google: String?
    /// The app in a browser.
    let app: String?
    let inbox: String?
    /// With the key that signs in once.
    package var console: String?
    /// The simulated providers' names.
    package var providers: [String] = []

    package init(
        url: String, publishableKey: String, secretKey: Secret, anonKey: String, serviceRoleKey: String,
        folder: String, apple: String? = nil, google: String? = nil, app: String? = nil, inbox: String? = nil
    ) {
        self.url = url
        self.publishableKey = publishableKey
        self.secretKey = secretKey
        self.anonKey = anonKey
        self.serviceRoleKey = serviceRoleKey
        self.folder = folder
        self.apple = apple
        self.google = google
        self.app = app
        self.inbox = inbox
    }

    var authURL: String { url + "/auth/v1" }

    /// One line.
    package var json: String {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginObject()
        writer.member("url", url)
        writer.member("auth_url", authURL)
        writer.member("gateway_url", url)
        writer.member("publishable_key", publishableKey)
        writer.member("secret_key", secretKey.reveal())
        writer.member("anon_key", anonKey)
        writer.member("service_role_key", serviceRoleKey)
        if let apple { writer.member("apple_stand_in", apple) }
        if let google { writer.member("google_stand_in", google) }
        if let app { writer.member("app", app) }
        if let inbox { writer.member("inbox", inbox) }
        if let console { writer.member("console", console) }
        writer.endObject()
        return writer.text
    }

    package var block: String {
        """

        Gatehouse is ready. Ctrl-C ends it; accounts and keys stay in \(folder).

          Auth API          \(authURL)
          Gateway           \(url)/v1  and  \(url)/api/v1
          Health, metrics   \(url)/ready  \(url)/metrics\(appLine)\(inboxLine)
          Account pages     \(url)/account\(consoleLine)

          publishable key   \(publishableKey)
          secret key        \(secretKey.reveal())
          anon key          \(anonKey)
          service_role key  \(serviceRoleKey)

        Sign up, sign in, and read the new account's profile:

          curl -s '\(authURL)/signup' -H 'apikey: \(publishableKey)' -d '\(person)'
          curl -s '\(url)/v1/auth/me' -H "Authorization: Bearer $(\(tokenCommand))"
        \(providerBlock)
        Or in another terminal:

          \(program) signup
          \(program) whoami

        """
    }

    private var appLine: String {
        app.map { "\n  The app           \($0)  (use BoxScore in your browser)" } ?? ""
    }

    private var consoleLine: String {
        console.map { "\n  Console           \($0)  (works once; later open \(url)/)" } ?? ""
    }

    private var inboxLine: String {
        inbox.map { "\n  Inbox             \($0)  (emails arrive here; none are sent)" } ?? ""
    }

    private var providerBlock: String {
        guard let provider = providers.first else { return "" }
        let address = "\(authURL)/authorize?provider=\(provider)&code_challenge=\(ExampleProofKey.challenge)"
        return """

            Sign in with a simulated provider, without an account there: open \(StandIns.site(url)) and choose,
            or open this URL, then redeem the code:

              \(address)&code_challenge_method=s256&redirect_to=\(StandIns.site(url))
              curl -s '\(authURL)/token?grant_type=pkce' -H 'apikey: \(publishableKey)' \\
                -d '{"auth_code":"CODE","code_verifier":"\(ExampleProofKey.verifier)"}'

            """
    }

    /// As called: with `make run`, `gatehouse` is not in the search path.
    private var program: String { CommandLine.arguments.first ?? "gatehouse" }

    private var person: String { #"{"email":"ada@example.com","password":"correct horse battery"}"# }

    private var tokenCommand: String {
        "curl -s '\(authURL)/token?grant_type=password' -H 'apikey: \(publishableKey)' -d '\(person)'"
            + #" | sed 's/.*"access_token":"\([^"]*\)".*/\1/'"#
    }
}
