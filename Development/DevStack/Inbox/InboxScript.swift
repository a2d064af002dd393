/// The content security policy lists their digests.
enum InboxScript {
    static let list: StaticString = """
        "use strict";
        const at = id => document.getElementById(id);
        const [list, live, search] = ["list", "live", "q"].map(at);
        let source, pause, asked = 0;
        const localize = () => { for (const time of document.querySelectorAll("time"))
          time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" }); };
        async function refresh() {
          const mine = ++asked;
          const query = search.value.trim() ? "?q=" + encodeURIComponent(search.value.trim()) : "";
          const answer = await fetch(location.pathname + query).catch(() => null);
          if (mine !== asked || !answer?.ok) return;
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          if (mine !== asked) return;
          const focused = list.contains(document.activeElement) && document.activeElement.getAttribute("href");
          list.replaceChildren(...page.getElementById("list").childNodes);
          if (focused) list.querySelector(`[href="${focused}"]`)?.focus();
          const count = page.getElementById("count").textContent;
          if (at("count").textContent !== count) at("count").textContent = count;
          history.replaceState(null, "", location.pathname + query);
          localize();
        }
        function say(state, text) { live.dataset.is = state; live.textContent = text; }
        function connect() {
          clearTimeout(pause);
          source?.close();
          source = new EventSource(location.pathname + "/events");
          source.addEventListener("mails", () => { say("on", "Live"); refresh(); });
          source.addEventListener("moved", () => { source.close(); say("off", "Live in another window"); });
          source.onerror = () => {
            say("lost", "Not connected. Trying again …");
            if (source.readyState === EventSource.CLOSED) pause = setTimeout(connect, 1000);
          };
        }
        // A browser has few connections per server, so a hidden page releases its own.
        document.addEventListener("visibilitychange", () => {
          if (!document.hidden) return connect();
          clearTimeout(pause);
          source?.close();
        });
        addEventListener("focus", () => { if (source?.readyState === EventSource.CLOSED) connect(); });
        let typing;
        search.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(refresh, 150); });
        localize();
        connect();
        """

    static let mail: StaticString = """
        "use strict";
        for (const time of document.querySelectorAll("time"))
          time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
        const copy = document.getElementById("copy"), copied = document.getElementById("copied");
        if (copy && navigator.clipboard) {
          copy.hidden = false;
          copy.addEventListener("click", async () => {
            try {
              await navigator.clipboard.writeText(document.getElementById("code").textContent);
              copied.textContent = "Copied";
            } catch {
              copied.textContent = "Select the code and copy it yourself.";
            }
          });
        }
        """

    static let style: StaticString = """
        main{max-width:46rem}
        [hidden]{display:none!important}
        form label{display:block;margin:0 0 .25rem;font-size:.9375rem;color:var(--quiet)}
        form[role=search] input{background:var(--card)}
        .state{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;margin:1rem 0 .5rem;\
        font-size:.9375rem;color:var(--quiet)}
        #live:not(:empty)::before{content:"";display:inline-block;width:.5rem;height:.5rem;border-radius:50%;\
        margin-inline-end:.4rem;background:var(--edge)}
        #live[data-is=on]::before{background:#2e8540}
        #live[data-is=lost]{color:var(--bad)}
        #live[data-is=lost]::before{background:var(--bad)}
        .mail{display:grid;grid-template-columns:1fr max-content;gap:.125rem 1rem;align-items:baseline;\
        text-decoration:none;color:var(--text)}
        .mail>*{min-width:0;overflow-wrap:anywhere}
        .mail code{font-size:1rem;letter-spacing:.08em;text-align:end}
        .mail .quiet{font-size:.9375rem;grid-row:2}
        .mail svg{vertical-align:-.2em}
        .mail time{grid-column:2;text-align:end}
        .empty{padding:3rem 1rem;border:1px dashed var(--edge);border-radius:.75rem;text-align:center;text-wrap:balance}
        .empty p:last-child{margin:0}
        #list{margin-bottom:1.5rem}
        nav[aria-label=Inbox]{margin-bottom:1rem}
        nav[aria-label=Inbox] a,p>a:only-child{display:inline-block;border-color:transparent;background:none;padding-inline:0}
        h1{overflow-wrap:anywhere;text-wrap:balance}
        #code{font-size:1.25rem;letter-spacing:.12em}
        .actions{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
        .actions a,.actions button{width:auto;padding:.625rem 1.25rem;text-decoration:none;font-weight:600}
        .views{display:flex;gap:.5rem;margin:1.5rem 0 .75rem}
        .views a{padding:.5rem 1rem;text-decoration:none;color:var(--text)}
        .views [aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent);color:var(--accent);\
        font-weight:600}
        iframe{display:block;width:100%;height:42rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
        pre{margin:0;padding:1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card);\
        font:.875rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
        .plain{unicode-bidi:plaintext}
        @media (max-width:30rem){.mail strong,.mail span{grid-column:1/-1}.mail time.quiet{grid-area:3/1;text-align:start}\
        .mail code{grid-area:3/2}}
        """
}
