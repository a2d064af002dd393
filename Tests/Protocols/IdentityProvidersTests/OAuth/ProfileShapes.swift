import GatehouseWire
import Testing

/// How each provider describes a user, as its public documentation shows it, and what the server makes of it.
struct ProfileShape: Sendable, CustomTestStringConvertible {
    let provider: String
    /// The documents by URL.
    let documents: [String: String]
    let subject: String
    let email: String?
    let isVerified: Bool
    let name: String?
    let picture: String?
    var account: String?

    var testDescription: String { provider }

    static let all = [
        ProfileShape(
            provider: "bitbucket",
            documents: [
                "https://api.bitbucket.org/2.0/user": #"""
                {"display_name":"Ada Lovelace","links":{"avatar":{"href":"https://bitbucket.example/ada.png"}},"type":"user",
                "uuid":"{1a2b}","username":"ada","account_id":"557058:1"}
                """#,
                "https://api.bitbucket.org/2.0/user/emails?pagelen=100": #"""
                {"values":[{"email":"old@example.org","is_primary":false,"is_confirmed":true},
                {"email":"ada@example.org","is_primary":true,"is_confirmed":true}],"page":1,"size":2}
                """#,
            ], subject: "{1a2b}", email: "ada@example.org", isVerified: true, name: "Ada Lovelace",
            picture: "https://bitbucket.example/ada.png", account: "ada"),
        ProfileShape(
            provider: "discord",
            documents: [
                "https://discord.com/api/users/@me": #"""
                {"id":"80351110224678912","username":"ada","discriminator":"0","global_name":"Ada Lovelace",
                "avatar":"8342729096ea3675","verified":true,"email":"ada@example.org","locale":"en-GB"}
                """#
            ], subject: "80351110224678912", email: "ada@example.org", isVerified: true, name: "Ada Lovelace",
            picture: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675.png", account: "ada"),
        ProfileShape(
            provider: "figma",
            documents: [
                "https://api.figma.com/v1/me": #"""
                {"id":"1082","email":"ada@example.org","handle":"Ada","img_url":"https://figma.example/ada.png"}
                """#
            ], subject: "1082", email: "ada@example.org", isVerified: false, name: "Ada",
            picture: "https://figma.example/ada.png"),
        ProfileShape(
            provider: "github",
            documents: [
                "https://api.github.com/user": #"""
                {"login":"ada","id":583231,"avatar_url":"https://avatars.example/u/583231","name":null,"email":null}
                """#,
                "https://api.github.com/user/emails?per_page=100": #"""
                [{"email":"ada@users.noreply.github.com","verified":true,"primary":false,"visibility":null},
                {"email":"ada@example.org","verified":true,"primary":true,"visibility":"private"}]
                """#,
            ], subject: "583231", email: "ada@example.org", isVerified: true, name: "ada",
            picture: "https://avatars.example/u/583231", account: "ada"),
        ProfileShape(
            provider: "gitlab",
            documents: [
                "https://gitlab.com/api/v4/user": #"""
                {"id":7,"username":"ada","name":"Ada Lovelace","state":"active","avatar_url":"https://gitlab.example/7.png",
                "email":"ada@example.org","confirmed_at":"2012-05-23T09:05:22Z"}
                """#
            ], subject: "7", email: "ada@example.org", isVerified: true, name: "Ada Lovelace",
            picture: "https://gitlab.example/7.png", account: "ada"),
        ProfileShape(
            provider: "kakao",
            documents: [
                "https://kapi.kakao.com/v2/user/me": #"""
                {"id":123456789,"kakao_account":{"profile":{"nickname":"에이다","profile_image_url":"https://k.example/a.png"},
                "has_email":true,"is_email_valid":true,"is_email_verified":false,"email":"ada@example.org"}}
                """#
            ], subject: "123456789", email: "ada@example.org", isVerified: false, name: "에이다",
            picture: "https://k.example/a.png"),
        ProfileShape(
            provider: "linkedin_oidc",
            documents: [
                "https://api.linkedin.com/v2/userinfo": #"""
                {"sub":"782bbtaQ","name":"Ada Lovelace","given_name":"Ada","family_name":"Lovelace",
                "picture":"https://media.example/ada","locale":"en-US","email":"ada@example.org","email_verified":true}
                """#
            ], subject: "782bbtaQ", email: "ada@example.org", isVerified: true, name: "Ada Lovelace",
            picture: "https://media.example/ada"),
        ProfileShape(
            provider: "notion",
            documents: [
                "https://api.notion.com/v1/users/me": #"""
                {"object":"user","id":"16d84278","type":"bot","bot":{"owner":{"type":"user","user":{"object":"user",
                "id":"ee5f0f84","name":"Ada Lovelace","avatar_url":null,"type":"person","person":{"email":"ada@example.org"}}}}}
                """#
            ], subject: "ee5f0f84", email: "ada@example.org", isVerified: false, name: "Ada Lovelace", picture: nil),
        ProfileShape(
            provider: "slack_oidc",
            documents: [
                "https://slack.com/api/openid.connect.userInfo": #"""
                {"ok":true,"sub":"U0R7JM","https://slack.com/team_id":"T0R7GR","email":"ada@example.org",
                "email_verified":true,"name":"Ada","picture":"https://slack.example/ada.jpg","given_name":"Ada"}
                """#
            ], subject: "U0R7JM", email: "ada@example.org", isVerified: true, name: "Ada",
            picture: "https://slack.example/ada.jpg"),
        ProfileShape(
            provider: "spotify",
            documents: [
                "https://api.spotify.com/v1/me": #"""
                {"display_name":"Ada","email":"ada@example.org","id":"adal","images":[{"url":"https://i.example/a","height":64}]}
                """#
            ], subject: "adal", email: "ada@example.org", isVerified: false, name: "Ada", picture: "https://i.example/a"
        ),
        ProfileShape(
            provider: "twitch",
            documents: [
                "https://api.twitch.tv/helix/users": #"""
                {"data":[{"id":"141981764","login":"ada","display_name":"Ada","email":"ada@example.org",
                "profile_image_url":"https://static.example/ada.png"}]}
                """#
            ], subject: "141981764", email: "ada@example.org", isVerified: true, name: "Ada",
            picture: "https://static.example/ada.png", account: "ada"),
        ProfileShape(
            provider: "x",
            documents: [
                "https://api.x.com/2/users/me?user.fields=confirmed_email,profile_image_url": #"""
                {"data":{"id":"2244994945","name":"Ada Lovelace","username":"ada","profile_image_url":"https://x.example/a.jpg",
                "confirmed_email":"ada@example.org"}}
                """#
            ], subject: "2244994945", email: "ada@example.org", isVerified: true, name: "Ada Lovelace",
            picture: "https://x.example/a.jpg", account: "ada"),
        ProfileShape(
            provider: "zoom",
            documents: [
                "https://api.zoom.us/v2/users/me": #"""
                {"id":"KdYKjnimT4KPd8","first_name":"Ada","last_name":"Lovelace","email":"ada@example.org","verified":1,
                "pic_url":"https://zoom.example/ada.jpg","type":1}
                """#
            ], subject: "KdYKjnimT4KPd8", email: "ada@example.org", isVerified: true, name: "Ada Lovelace",
            picture: "https://zoom.example/ada.jpg"),
    ]

    /// Facebook's address has a proof at its end.
    static let facebook = #"""
        {"id":"1022","email":"ada@example.org","first_name":"Ada","last_name":"Lovelace","name":"Ada Lovelace",
        "picture":{"data":{"height":50,"url":"https://fb.example/ada.jpg"}}}
        """#
}
