import GatehouseWire
import MailTemplates

/// What the page of a mailed link says. None of it is of a user, so none is escaped.
struct LinkPageWords {
    let continueTitle: String
    let codeTitle: String
    let press: String
    let wrongCode: String
    let codeLabel: String
    let elsewhere: String
    let nothingToDo: String
    let button: String

    static func words(in language: MailLanguage) -> LinkPageWords {
        switch language {
        case .english: english
        case .spanish: spanish
        case .german: german
        case .japanese: japanese
        case .arabic: arabic
        }
    }

    private static let english = LinkPageWords(
        continueTitle: "Continue in the app",
        codeTitle: "Enter the code from the email",
        press: "Press the button to continue where you asked for the email.",
        wrongCode: "This code is wrong or expired.",
        codeLabel: "The six digits from the email",
        elsewhere:
            "The email has a code of six digits. Enter it where you asked for the email: in the app, or in the browser "
            + "that you used.",
        nothingToDo: "If you did not ask for it, there is nothing to do.",
        button: "Continue")

    private static let spanish = LinkPageWords(
        continueTitle: "Continúa en la app",
        codeTitle: "Introduce el código del correo",
        press: "Pulsa el botón para continuar donde pediste el correo.",
        wrongCode: "Este código es incorrecto o ha caducado.",
        codeLabel: "Los seis dígitos del correo",
        elsewhere:
            "El correo contiene un código de seis dígitos. Introdúcelo donde pediste el correo: en la app o en el "
            + "navegador que usaste.",
        nothingToDo: "Si no lo has pedido, no tienes que hacer nada.",
        button: "Continuar")

    private static let german = LinkPageWords(
        continueTitle: "Weiter in der App",
        codeTitle: "Gib den Code aus der E-Mail ein",
        press: "Mit dem Button geht es dort weiter, wo du die E-Mail angefordert hast.",
        wrongCode: "Dieser Code ist falsch oder abgelaufen.",
        codeLabel: "Die sechs Ziffern aus der E-Mail",
        elsewhere:
            "Die E-Mail enthält einen sechsstelligen Code. Gib ihn dort ein, wo du die E-Mail angefordert hast: in der "
            + "App oder in dem Browser, den du dafür benutzt hast.",
        nothingToDo: "Wenn du sie nicht angefordert hast, musst du nichts tun.",
        button: "Weiter")

    private static let japanese = LinkPageWords(
        continueTitle: "アプリで続ける",
        codeTitle: "メールのコードを入力",
        press: "ボタンを押すと、メールをリクエストした画面で続行できます。",
        wrongCode: "コードが正しくないか、有効期限が切れています。",
        codeLabel: "メールに記載された6桁の数字",
        elsewhere:
            "メールに6桁のコードが記載されています。メールをリクエストしたアプリまたはブラウザで入力してください。",
        nothingToDo: "心当たりがない場合は、何もする必要はありません。",
        button: "続ける")

    private static let arabic = LinkPageWords(
        continueTitle: "المتابعة في التطبيق",
        codeTitle: "أدخل الرمز الوارد في الرسالة",
        press: "اضغط على الزر للمتابعة حيث طلبت الرسالة.",
        wrongCode: "هذا الرمز غير صحيح أو انتهت صلاحيته.",
        codeLabel: "الأرقام الستة الواردة في الرسالة",
        elsewhere:
            "تحتوي الرسالة على رمز من ستة أرقام. أدخله حيث طلبت الرسالة: في التطبيق أو في المتصفح الذي استخدمته.",
        nothingToDo: "إذا لم تطلب ذلك، فلا يلزمك فعل أي شيء.",
        button: "متابعة")
}
