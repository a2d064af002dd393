extension HTMLPage {
    /// The common style of all pages. Where Apple's colours have too little contrast for text (4.5 : 1), these have
    /// enough, so that any remaining problem is the view's own.
    static let style = [colors, containers, bars, rows, buttons, presentations, wide].joined(separator: "\n")

    private static let colors = """
        * { box-sizing: border-box; margin: 0 }
        .light { --back: #fff; --ink: #000; --group: #f2f2f7; --cell: #fff; --line: rgb(60 60 67 / .2);
          --quiet: rgb(60 60 67 / .75); --blue: #0066d6; --red: #d70015; --fill: #e9e9eb; --panel: #f8f8f8 }
        .dark { --back: #000; --ink: #fff; --group: #000; --cell: #1c1c1e; --line: rgb(84 84 88 / .6);
          --quiet: rgb(235 235 245 / .6); --blue: #409cff; --red: #ff6961; --fill: #39393d; --panel: #2c2c2e }
        .dark .sheet { --back: #1c1c1e; --group: #1c1c1e; --cell: #2c2c2e; --gray5: #363638 }
        body { position: relative; overflow: hidden; display: flex; flex-direction: column; align-items: center;
          justify-content: center; line-height: 1.28; background: var(--back); color: var(--ink);
          font-family: Inter, "Noto Sans Arabic", "Noto Sans CJK JP", "DejaVu Sans", sans-serif }
        """

    private static let containers = """
        .vstack, .box, .page, .navigation, .sheet, .cover, .list, .form, .section, .progress, .button, .menu, .tabs
          { display: flex; flex-direction: column; align-items: center; min-width: 0 }
        .vstack { justify-content: center; gap: 8px }
        .box { justify-content: center }
        .hstack { display: flex; justify-content: center; align-items: center; gap: 8px; min-width: 0 }
        .hstack > .button:not(.custom) { flex-shrink: 0 !important; max-width: 70% }
        .zstack, .overlay { display: grid; place-items: center }
        .zstack > *, .overlay > * { grid-area: 1 / 1; min-width: 0 }
        .overlay { isolation: isolate }
        .overlay > * { width: 100%; height: 100% }
        .overlay > :last-child { pointer-events: none }
        .overlay[data-behind] > :last-child { z-index: -1 }
        .overlay:not([data-behind]) > :last-child { z-index: 1 }
        .text { min-width: 0; overflow-wrap: anywhere }
        .image { flex: none !important }
        .image svg { display: block; width: 1.25em; height: 1.25em }
        .picture, .picture svg { width: 100%; height: 100% }
        .spacer { min-width: 8px; min-height: 8px }
        .divider { background: var(--line); min-height: 1px }
        .shape { min-height: 1px; min-width: 1px }
        .navigation { align-self: stretch; flex: 1; min-height: 0; background: var(--back) }
        .page { flex: 1; align-self: stretch; justify-content: safe center }
        .page, .scroll, .list, .form { overflow: hidden auto; scrollbar-width: none; min-height: 0 }
        .scroll { display: flex; flex-direction: column; align-items: center }
        .list, .form { background: var(--group); padding: 16px; gap: 22px; align-items: stretch }
        """

    /// Bar text does not grow, as on a phone, except the large title. The back button loses its label if there is no
    /// room. The phone's system sheets are above the bars. Content under the bars only dims the screen.
    private static let bars = """
        .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; min-height: 44px; padding: 0 16px;
          align-self: stretch; position: relative; justify-content: flex-end; background: var(--back) }
        .bar > * { font-size: 17px }
        .navigation:has(> .page [data-bleeds]) > .bar { box-shadow: inset 0 0 0 100px rgb(0 0 0 / .3) }
        .bar[hidden] { display: none }
        .bar .text, .bar .image { font-size: inherit !important }
        .bar .title { font-weight: 600; color: var(--ink); text-align: center }
        .bar > .button { flex-direction: row; min-width: 44px; min-height: 44px; justify-content: center }
        .bar > .button:has(> svg) { flex-wrap: wrap; height: 44px; overflow: hidden; justify-content: flex-start;
          margin-inline-start: -8px }
        .bar > .button > svg { width: 1.3em; height: 44px; flex: none }
        [dir=rtl] .bar > .button > svg { transform: scaleX(-1) }
        .bar > .button > span { white-space: nowrap }
        .bar > .button:first-child:not([data-place]), .bar > [data-place=leading] { margin-inline-end: auto }
        .bar[data-title=inline] { display: grid; grid-template-columns: minmax(44px, 1fr) auto minmax(44px, 1fr) }
        .bar[data-title=inline] > * { grid-row: 1; grid-column: 1; justify-self: start; max-width: 100% }
        .bar[data-title=inline] > .title { grid-column: 2 }
        .bar[data-title=inline] > [data-place=trailing] { grid-column: 3; justify-self: end }
        .bar[data-title=large] > .title { order: 9; width: 100%; font-size: clamp(34px, 1.3em, 60px); font-weight: 700;
          text-align: start; padding: 3px 0 8px }
        body { padding-top: var(--status, 50px) }
        .layer > .navigation { margin-top: calc(-1 * var(--status, 50px)); padding-top: var(--status, 50px) }
        .sheet > .navigation > .bar, .sheet .overlay .navigation > .bar { padding-top: 8px;
          min-height: 52px }
        .navigation:has(.list), .navigation:has(.form), .navigation:has(.list) > .bar, .navigation:has(.form) > .bar
          { background: var(--group) }
        """

    private static let rows = """
        .section { align-items: stretch }
        .section, .sectionBody, .row { flex: none !important }
        .sectionBody { border-radius: 10px; overflow: hidden }
        .row { display: flex; align-items: center; min-height: 44px; padding: 8px 16px; gap: 8px; background: var(--cell) }
        .row + .row { border-top: 1px solid var(--line) }
        .row:has(> [data-clear]), [data-clear] > .sectionBody > .row { background: none; padding: 4px 0; border-top: 0 }
        .row:has(> [data-clear]) + .row { border-top: 0 }
        .row > .button { flex: 1 1 0 !important }
        .row > .hstack .vstack { align-self: center }
        .row:has(> .button:only-child:not(.custom):not(.apple)) { padding: 0 }
        .row > .button:only-child:not(.custom):not(.apple) { padding: 8px 16px; min-height: 44px;
          align-items: flex-start; text-align: start }
        .row > .button > .hstack, .row > .button > .box { align-self: stretch; justify-content: flex-start }
        .row > .button > .box { align-items: flex-start !important }
        .row > .button.chevron:only-child:not(.custom):not(.apple) { flex-direction: row; align-items: center;
          justify-content: space-between; gap: 8px }
        .row > .chevron:not(.custom) > * { flex: 0 1 auto !important; min-width: 0 }
        .row > .chevron:not(.custom)::after { content: "›" / ""; color: var(--quiet); font-size: 1.3em; line-height: 1 }
        .header > *, .footer > * { color: var(--quiet) }
        .header .text, .footer > .text { font-size: .8em !important }
        .header, .footer { font-size: inherit; padding: 0 16px 7px }
        .footer { padding: 7px 16px 0 }
        """

    private static let buttons = """
        button { font: inherit; color: inherit; background: none; border: 0; padding: 0; text-align: center }
        .button { color: var(--blue); justify-content: center }
        .button.destructive { color: var(--red) }
        .button.plain, .button.chevron { color: var(--ink) }
        .button.disabled:not(.custom) { opacity: .4 }
        .button.prominent, .button.bordered { padding: 7px 12px; border-radius: 8px }
        .button.bordered { background: var(--fill) }
        .button.apple { min-height: 30px; align-self: stretch; border-radius: 6px; overflow: hidden }
        .picker { display: flex; gap: 2px; background: var(--fill); border-radius: 8px; padding: 2px;
          align-self: stretch; flex: 1 }
        .picker > .button { flex: 1; padding: 5px; border-radius: 7px; color: inherit; min-height: 44px }
        .picker > .selected { background: var(--back) }
        .toggle { display: flex; align-items: center; justify-content: space-between; gap: 8px; min-height: 44px }
        .switch { width: 51px; height: 31px; border-radius: 16px; background: var(--fill); flex: none }
        .switch.on { background: #34c759 }
        .switch::after { content: ""; display: block; width: 27px; height: 27px; margin: 2px; border-radius: 50%;
          background: #fff }
        .switch.on::after { margin-inline-start: 22px }
        .field { font: inherit; color: var(--ink); background: none; border: 0; padding: 4px 0; width: 100%;
          min-width: 0; min-height: 44px; outline: none; text-align: start; text-overflow: ellipsis }
        [dir=rtl] .field:not([style*="text-align:center"], [data-style-text*="text-align:center"]) { text-align: right !important }
        .field::placeholder { color: var(--quiet); opacity: 1 }
        .field.roundedBorder { border: 1px solid var(--line); border-radius: 8px; padding: 10px }
        .field.search { background: var(--fill); border-radius: 10px; padding: 8px 12px; margin: 0 16px 8px;
          width: calc(100% - 32px); flex: none !important }
        .field.focused { caret-color: var(--blue); box-shadow: 0 1px 0 0 var(--blue) }
        .progress { gap: 8px }
        .spinner { width: 1.6em; height: 1.6em; border-radius: 50%; border: 3px solid var(--fill);
          border-top-color: var(--quiet) }
        """

    private static let presentations = """
        .dim { position: absolute; inset: 0; background: rgb(0 0 0 / .4) }
        .sheet, .cover { position: absolute; inset: 54px 0 0; background: var(--back); overflow: hidden;
          border-radius: 12px 12px 0 0; justify-content: center }
        .cover { inset: 0; border-radius: 0 }
        .sheet.medium { inset: 50% 0 0 }
        .alert, .dialog { position: absolute; left: 50%; top: 50%; transform: translate(-50%, -50%); width: 300px;
          max-height: calc(100% - 64px); background: var(--panel); border-radius: 14px; padding: 18px 0 0;
          display: flex; flex-direction: column; text-align: center; overflow: hidden auto; scrollbar-width: none }
        .alert > *, .dialog > * { flex: none !important }
        .alert > .text, .dialog > .text { padding: 0 16px 8px; text-align: center !important; align-self: center;
          max-width: 100% }
        .alert > .text:first-child, .dialog > .text:first-child { font-weight: 600 }
        .alert > .button, .dialog > .button { border-top: 1px solid var(--line); padding: 12px; min-height: 44px;
          align-self: stretch }
        .alert > .button .text, .dialog > .button .text { text-align: center !important }
        .alert > .cancel, .dialog > .cancel { font-weight: 600 }
        .dialog { top: auto; bottom: 16px; transform: translateX(-50%); width: 370px }
        .alert > .field { margin: 4px 16px 12px; width: calc(100% - 32px); border: 1px solid var(--line);
          padding: 8px; border-radius: 8px }
        """

    /// Sheets are centred on an iPad and a Mac: 540 points wide, and 620 or 560 high if that is enough.
    private static let wide = """
        [data-device=mac] body { --status: 0px }
        [data-device=ipad] .sheet, [data-device=mac] .sheet { inset: auto; left: 50%; top: 50%; width: 540px;
          height: calc(100% - 574px); transform: translate(-50%, -50%); border-radius: 12px }
        [data-device=mac] .sheet { height: calc(100% - 140px) }
        """
}
