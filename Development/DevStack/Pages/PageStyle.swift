/// Deliberately plain: not to be mistaken for the real providers' pages.
enum PageStyle {
    static let sheet: StaticString = """
        :root{color-scheme:light dark;--page:#f4f4f1;--card:#fff;--text:#1c1c1a;--quiet:#575752;--line:#c9c9c2;\
        --edge:#85857e;--accent:#33469e;--flag:#ffe9a8;--flagtext:#4a3600;--bad:#a3201d}
        @media (prefers-color-scheme:dark){:root{--page:#161615;--card:#232321;--text:#f2f2ee;--quiet:#b3b3ab;\
        --line:#42423e;--edge:#85857e;--accent:#aab8ff;--flag:#4a3a08;--flagtext:#ffe9a8;--bad:#ff9d97}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif;\
        -webkit-text-size-adjust:100%}
        header{padding:.625rem 1rem;background:var(--flag);color:var(--flagtext);font-size:.875rem;\
        text-align:center;text-wrap:balance}
        main{max-width:34rem;margin:0 auto;padding:1.75rem 1rem 3rem}
        h1{margin:0 0 .5rem;font-size:1.625rem;line-height:1.2;letter-spacing:-.01em}
        h2{margin:1.75rem 0 .625rem;font-size:.9375rem;line-height:1.3}
        p{margin:0 0 .75rem}
        .quiet,dt{color:var(--quiet)}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1rem 0;padding:.875rem 1rem;\
        border:1px solid var(--line);border-radius:.75rem;font-size:.9375rem}
        dd{margin:0;min-width:0;overflow-wrap:anywhere}
        ul{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}
        button,input{font:inherit;color:inherit;min-height:44px;border-radius:.75rem;border:1px solid var(--edge)}
        button{display:block;width:100%;padding:.75rem 1rem;background:var(--card);text-align:start;cursor:pointer}
        a{display:block;min-height:44px;padding:.75rem 1rem;border:1px solid var(--edge);border-radius:.75rem;\
        background:var(--card);color:var(--accent)}
        button:hover,a:hover{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
        button strong,button span,.card strong,.card .quiet{display:block}
        button .quiet,.card .quiet{font-size:.9375rem;text-wrap:pretty}
        button code{display:block;margin-top:.25rem;font-size:.8125rem}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .card{padding:.75rem 1rem 1rem;border:1px solid var(--edge);border-radius:.75rem;background:var(--card)}
        .card label{display:block;margin:.625rem 0 .25rem;font-size:.9375rem}
        .row{display:flex;flex-wrap:wrap;gap:.5rem}
        .row input{flex:1 1 14rem;min-width:0;padding:.5rem .75rem;background:var(--page)}
        .row button,.main{width:auto;padding:.5rem 1.25rem;text-align:center;background:var(--accent);\
        border-color:var(--accent);color:var(--card);font-weight:600}
        [aria-invalid=true]{border-color:var(--bad);border-width:2px}
        .problem{margin:0 0 .5rem;color:var(--bad);font-weight:600}
        code{font:.9375em ui-monospace,monospace;overflow-wrap:anywhere}
        """
}
