package struct SettingArea: Sendable {
    package let title: String
    package let settings: [Setting]

    init(_ title: String, _ settings: [Setting]) { (self.title, self.settings) = (title, settings) }
}

extension Setting {
    package static let areas: [SettingArea] = [
        SettingArea(
            "Server",
            [
                listen, host, port, externalURL, siteURL, authPaths, openAPI, metricsListen, trustedProxies,
                proxyHeader, corsAllowedHeaders, requestDuration,
            ]),
        SettingArea(
            "Database and keys",
            [database, databaseConnections, secrets, publishableKeys, secretKeys, requireAPIKey]),
        SettingArea(
            "Access tokens",
            [
                jwtAlgorithm, jwtSecret, jwtKeyID, jwtKeys, jwtLifetime, tokenMaximum, jwtIssuer, jwtAudience, jwtRole,
                jwtAdminRoles,
            ]),
        SettingArea(
            "Sign-up and passwords",
            [
                disableSignUp, emailEnabled, anonymousEnabled, autoConfirm, passwordMinimumLength,
                passwordRequiredCharacters, passwordRefuseCommon, passwordBreaches, passwordBreachesURL,
                passwordForbiddenWords, requireCurrentPassword, passwordAnswerTime, hashMemory, hashQueue, hashThreads,
            ]),
        SettingArea(
            "Sessions",
            [
                refreshReuseInterval, refreshRotation, refreshStrict, sessionTimebox, sessionInactivity, freshSignIn,
                keysRequiredFrom,
            ]),
        SettingArea("Second factors", factors),
        SettingArea("Redirects", [uriAllowList, redirectPatterns, implicitFlow, plainProofKeys]),
        SettingArea(
            "Sign-in through providers",
            [
                manualLinking, iosBundleID, appleKey, appleKeyID, appleTeamID, openIDProviders, oauthProviders,
                outgoingNetworks, outgoingLoopback,
            ] + ProviderNames.all.flatMap(\.settings)),
        SettingArea(
            "Rate limits",
            [
                limits, rateHeader, rateTokenRefresh, rateOTP, rateVerify, rateMails, rateAuthorize, ratePasskey,
                rateAnonymous,
                rateFailedSignIns,
            ]),
        SettingArea("Passkeys", passkeys),
        SettingArea("Captchas", captcha),
        SettingArea(
            "Gateway", [appScheme, profileSchema, teamCatalogue, telemetry, telemetryApps, jwksURL, issuerSecretKey]),
        SettingArea("Account pages and console", pages),
        SettingArea("Mail", mail),
        SettingArea("Codes and links", codes),
        SettingArea("Phone", phone),
        SettingArea("OAuth server", oauth),
        SettingArea("Notices", notices.map(\.setting)),
        SettingArea("Mail templates", MailTemplateSettings.settings),
        SettingArea("Hooks and webhooks", hooks),
        SettingArea("Retention", retention),
        SettingArea("Log", [logLevel, logFormat]),
        SettingArea("Traces", traces),
    ]

    /// In the order of `check-config`.
    package static let allCases: [Setting] = areas.flatMap(\.settings)
}
