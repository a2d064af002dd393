/// The phase of a screen that lists something and changes it.
public enum ListPhase: Hashable, Sendable {
    /// Everything is loading.
    case loading
    /// Loading failed; offer to try again.
    case failed
    /// The lists.
    case showing
    /// A change is in progress; all buttons are disabled.
    case working
    /// The last change failed.
    case refused(SignInMessage)
}
