/// The system's own texts on a screen, in the languages of our catalogues.
enum SystemTexts {
    case back
    case cancel
    case confirm
    case search
    /// Indeterminate progress.
    case working

    func text(in locale: Locale) -> String {
        let language = locale.language.languageCode?.identifier ?? "en"
        let texts =
            switch self {
            case .back: ["en": "Back", "es": "Atrás", "de": "Zurück", "ja": "戻る", "ar": "رجوع"]
            case .cancel: ["en": "Cancel", "es": "Cancelar", "de": "Abbrechen", "ja": "キャンセル", "ar": "إلغاء"]
            case .confirm: ["en": "OK", "es": "Aceptar", "de": "OK", "ja": "OK", "ar": "موافق"]
            case .working:
                ["en": "In progress", "es": "En curso", "de": "Wird ausgeführt", "ja": "処理中", "ar": "قيد التنفيذ"]
            case .search: ["en": "Search", "es": "Buscar", "de": "Suchen", "ja": "検索", "ar": "بحث"]
            }
        return texts[language] ?? texts["en"] ?? ""
    }
}
