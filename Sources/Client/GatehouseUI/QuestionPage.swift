import SwiftUI

struct QuestionPage<Message: View, Answers: View>: View {
    private let symbol: String
    private let title: Text
    private let message: Message
    private let answers: Answers
    @Environment(\.branding) private var branding
    @ScaledMetric(relativeTo: .title) private var symbolSize: CGFloat = 56

    init(
        symbol: String, title: Text, @ViewBuilder message: () -> Message, @ViewBuilder answers: () -> Answers
    ) {
        (self.symbol, self.title) = (symbol, title)
        (self.message, self.answers) = (message(), answers())
    }

    var body: some View {
        ScrollView {
            VStack(spacing: 16) {
                Image(systemName: symbol)
                    .font(.system(size: symbolSize))
                    .foregroundStyle(branding.accent)
                    .accessibilityHidden(true)
                title
                    .textStyle(.title2, .title, weight: .bold)
                    .accessibilityAddTraits(.isHeader)
                message
            }
            .multilineTextAlignment(.center)
            .padding(24)
            .padding(.top, 32)
            .frame(maxWidth: .infinity)
        }
        .safeAreaInset(edge: .bottom) {
            VStack(spacing: 8) { answers }
                .padding(24)
                // Larger text scrolls below it.
                .background(.bar)
        }
        .themed()
    }
}
