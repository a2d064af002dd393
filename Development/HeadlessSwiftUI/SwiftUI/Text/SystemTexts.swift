/// The system's own texts, in our catalogues' languages.
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
            case .back:
                [
                    "en": "Back", "es": "Atrás", "de": "Zurück", "ja": "戻る", "ar": "رجوع", "fr": "Retour",
                    "it": "Indietro", "pt": "Voltar", "zh": "返回", "ko": "뒤로",
                ]
            case .cancel:
                [
                    "en": "Cancel", "es": "Cancelar", "de": "Abbrechen", "ja": "キャンセル", "ar": "إلغاء", "fr": "Annuler",
                    "it": "Annulla", "pt": "Cancelar", "zh": "取消", "ko": "취소",
                ]
            case .confirm: ["en": "OK", "es": "Aceptar", "de": "OK", "ja": "OK", "ar": "موافق", "zh": "好", "ko": "확인"]
            case .working:
                [
                    "en": "In progress", "es": "En curso", "de": "Wird ausgeführt", "ja": "処理中", "ar": "قيد التنفيذ",
                    "fr": "En cours",
                    "it": "In corso", "pt": "Em andamento", "zh": "进行中", "ko": "진행 중",
                ]
            case .search:
                [
                    "en": "Search", "es": "Buscar", "de": "Suchen", "ja": "検索", "ar": "بحث", "fr": "Rechercher",
                    "it": "Cerca", "pt": "Buscar", "zh": "搜索", "ko": "검색",
                ]
            }
        return texts[language] ?? texts["en"] ?? ""
    }
}
