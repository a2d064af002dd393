/// The phase of a screen that lists and changes something.
public enum ListPhase: Hashable, Sendable {
    /// Everything is loading.
    case loading
    /// Loading failed; offer to retry.
    case failed
    /// The lists are shown.
    case showing
    /// A change is in progress; disable all buttons.
    case working
    /// The last change failed.
    case refused(SignInMessage)
}
