import GatehouseWire
import MailTemplates

extension WebSession {
    /// Compares bytes.
    func isSame(as other: WebSession?) -> Bool {
        other.map { json.text.utf8.elementsEqual($0.json.text.utf8) } ?? false
    }
}

extension AuthJSON {
    fileprivate static func optional(_ text: String?) -> AuthJSON { text.map(AuthJSON.string) ?? .null }
}

// Short names: browsers keep at most 4,096 bytes.
extension WebSession {
    var json: AuthJSON {
        var members: AuthJSONObject = ["f": .string(Base64URL.text(formToken))]
        members["l"] = language.map { .string($0.rawValue) }
        members["n"] = next.map { .string($0.rawValue) }
        members["s"] = flash.map { .string($0.rawValue) }
        if let tokens {
            members["r"] = .string(tokens.refresh.reveal())
            members["a"] = tokens.access.map { .string($0.reveal()) }
            members["x"] = .integer(tokens.expiresAt)
        }
        if let handover {
            members["h"] = [
                "c": .string(handover.challenge), "m": .string(handover.method), "t": .string(handover.target),
                "k": .bool(handover.isConfirmed), "x": .integer(handover.expiresAt),
            ]
        }
        members["o"] = asked?.json
        members["m"] = mail?.json
        members["y"] = text?.json
        if let flow {
            members["v"] = [
                "k": .string(flow.purpose.rawValue), "v": .string(flow.verifier.reveal()),
                "h": .optional(flow.handover),
            ]
        }
        members["q"] = question?.json
        if awaitsSecondStep { members["w"] = true }
        members["c"] = challenge.map {
            ["i": .string($0.id), "o": $0.options, "x": .integer($0.expiresAt)]
        }
        members["k"] = key.map { .string($0.reveal()) }
        members["p"] = nextPath.map(AuthJSON.string)
        members["t"] = sentence.map(AuthJSON.string)
        members["e"] = endsAt.map(AuthJSON.integer)
        return .object(members)
    }

    /// - Returns: nil for JSON that ``json`` cannot produce.
    init?(json: AuthJSON) {
        guard let token = (json["f"]?.stringValue).flatMap({ Base64URL.decode($0) }), token.count == 16 else {
            return nil
        }
        self.init(formToken: token)
        language = json["l"]?.stringValue.flatMap(MailLanguage.init(text:))
        next = json["n"]?.stringValue.flatMap(Place.init(text:))
        flash = json["s"]?.stringValue.flatMap(Flash.init(text:))
        if let refresh = json["r"]?.stringValue, let end = json["x"]?.intValue {
            tokens = Tokens(
                refresh: Secret(refresh), access: (json["a"]?.stringValue).map(Secret.init), expiresAt: end)
        }
        if let kept = json["h"], let challenge = kept["c"]?.stringValue, let method = kept["m"]?.stringValue,
            let target = kept["t"]?.stringValue, let end = kept["x"]?.intValue
        {
            handover = Handover(
                challenge: challenge, method: method, target: target, expiresAt: end,
                isConfirmed: kept["k"]?.boolValue ?? false)
        }
        asked = json["o"].flatMap(Asked.init)
        mail = json["m"].flatMap(AwaitedMail.init)
        text = json["y"].flatMap(AwaitedText.init)
        if let kept = json["v"], let verifier = kept["v"]?.stringValue,
            let purpose = (kept["k"]?.stringValue).flatMap(Flow.Purpose.init(text:))
        {
            flow = Flow(purpose: purpose, verifier: Secret(verifier), handover: kept["h"]?.stringValue)
        }
        question = json["q"].flatMap(Question.init)
        awaitsSecondStep = json["w"]?.boolValue ?? false
        if let kept = json["c"], let id = kept["i"]?.stringValue, let options = kept["o"], let end = kept["x"]?.intValue
        {
            challenge = Challenge(id: id, options: options, expiresAt: end)
        }
        key = (json["k"]?.stringValue).map(Secret.init)
        (nextPath, sentence, endsAt) = (json["p"]?.stringValue, json["t"]?.stringValue, json["e"]?.intValue)
    }
}

extension WebSession.Asked {
    fileprivate var json: AuthJSON {
        [
            "p": .string(place.rawValue), "s": .string(subject), "h": .optional(hint?.text), "x": .integer(expiresAt),
        ]
    }

    fileprivate init?(json: AuthJSON) {
        guard let place = (json["p"]?.stringValue).flatMap(Place.init(text:)), let subject = json["s"]?.stringValue,
            let end = json["x"]?.intValue
        else { return nil }
        let hint = (json["h"]?.stringValue).flatMap(LoginHint.init)
        self.init(place: place, subject: subject, hint: hint, expiresAt: end)
    }
}

extension WebSession.AwaitedMail {
    fileprivate var json: AuthJSON {
        [
            "k": .string(kind.rawValue), "e": .string(email), "o": .optional(other), "h": .optional(handover),
            "p": .optional(password?.reveal()), "t": .optional(ticket?.reveal()),
        ]
    }

    fileprivate init?(json: AuthJSON) {
        guard let email = json["e"]?.stringValue, let kind = (json["k"]?.stringValue).flatMap(Kind.init(text:)) else {
            return nil
        }
        self.init(
            kind: kind, email: email, other: json["o"]?.stringValue, handover: json["h"]?.stringValue,
            password: (json["p"]?.stringValue).map(Secret.init), ticket: (json["t"]?.stringValue).map(Secret.init))
    }
}

extension WebSession.AwaitedText {
    fileprivate var json: AuthJSON {
        [
            "k": .string(kind.rawValue), "n": .string(number), "h": .optional(handover),
            "p": .optional(password?.reveal()),
        ]
    }

    fileprivate init?(json: AuthJSON) {
        guard let number = json["n"]?.stringValue, let kind = (json["k"]?.stringValue).flatMap(Kind.init(text:)) else {
            return nil
        }
        self.init(
            kind: kind, number: number, handover: json["h"]?.stringValue,
            password: (json["p"]?.stringValue).map(Secret.init))
    }
}

extension WebSession.Question {
    fileprivate var json: AuthJSON {
        [
            "t": .string(ticket.reveal()), "e": .string(email), "p": .string(provider),
            "m": .array(methods.map(AuthJSON.string)), "r": .bool(canRecover), "c": .bool(canMailCode),
            "k": .bool(canUsePasskey), "s": .bool(hasMailedCode), "h": .optional(handover), "a": .bool(isAnswered),
        ]
    }

    fileprivate init?(json: AuthJSON) {
        guard let ticket = json["t"]?.stringValue, let email = json["e"]?.stringValue,
            let provider = json["p"]?.stringValue
        else { return nil }
        self.init(
            ticket: Secret(ticket), email: email, provider: provider,
            methods: json["m"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            canRecover: json["r"]?.boolValue ?? false, canMailCode: json["c"]?.boolValue ?? false,
            canUsePasskey: json["k"]?.boolValue ?? false, handover: json["h"]?.stringValue,
            hasMailedCode: json["s"]?.boolValue ?? false,
            isAnswered: json["a"]?.boolValue ?? false)
    }
}
