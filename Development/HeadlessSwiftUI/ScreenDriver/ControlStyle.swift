extension HTMLPage {
    /// Resets the browser's style of controls. Comes first and has no specificity.
    public static let controls = """
        main:where(:not(.screen)), .layer { display: contents }
        :where(button, a.button, input) { appearance: none; border: 0; border-radius: 0; background: none; font: inherit;
          color: inherit; text-align: inherit; text-decoration: none; padding: 0; letter-spacing: inherit; margin: 0 }
        :where(button, a.button) { cursor: pointer } :where(button:disabled) { cursor: default }
        """
    /// For a page with the screen in an element of class `screen`.
    public static var sheet: String { controls + "\n" + style.replacing("body {", with: ".screen {") }
}
