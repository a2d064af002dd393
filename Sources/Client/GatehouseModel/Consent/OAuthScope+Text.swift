public import Gatehouse

extension OAuthScope {
    /// The permission in the user's words: for OpenID's, otherwise the server's explanation or the name, at most 200
    /// code points.
    public var content: ModelText {
        switch name {
        case "openid": "Know who you are"
        case "email": "See your email address"
        case "profile": "See your name and picture"
        case "phone": "See your phone number"
        case "offline_access": "Keep access until you remove it"
        default: ModelText("%@", explanation?.shownLine ?? name.shownLine ?? "")
        }
    }
}

extension OAuthGrant {
    /// The permissions in the user's words.
    public var permissions: [ModelText] {
        scopes.map { name in (scopeDetails.first { $0.name == name } ?? OAuthScope(name: name)).content }
    }
}
