extension HTMLPage {
    /// What makes HTML's own controls look like nothing, so that a page's style says all. Stands before it, and loses
    /// to every rule of it.
    public static let controls = """
        main:where(:not(.screen)), .layer { display: contents }
        :where(button, a.button, input) { appearance: none; border: 0; border-radius: 0; background: none; font: inherit;
          color: inherit; text-align: inherit; text-decoration: none; padding: 0; letter-spacing: inherit; margin: 0 }
        :where(button, a.button) { cursor: pointer } :where(button:disabled) { cursor: default }
        """
    /// The style of all pages, for one that shows the screen in an element of class `screen`.
    public static var sheet: String { controls + "\n" + style.replacing("body {", with: ".screen {") }
}
