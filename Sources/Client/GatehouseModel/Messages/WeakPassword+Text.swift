import Gatehouse

extension AuthWeakPassword {
    /// By the most helpful reason.
    var text: ModelText {
        if reasons.isEmpty || reasons.contains(.length) {
            let length = minimumLength ?? 8
            return length == 8
                ? "Password must be at least 8 characters."
                : ModelText("Password must be at least %lld characters.", String(length))
        }
        if reasons.contains(.characters) {
            return "Please mix uppercase and lowercase letters, numbers and symbols."
        }
        return "This password is too easy to guess. Please choose another one."
    }
}
