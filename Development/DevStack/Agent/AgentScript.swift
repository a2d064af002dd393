/// The content security policy lists its digest.
enum AgentScript {
    static let script: StaticString = """
        "use strict";
        const auth = location.origin + "/auth/v1";
        const client = document.getElementById("client").textContent;
        const place = location.origin + location.pathname;
        const answer = document.getElementById("answer");
        const base64URL = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes)))
          .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        const random = () => base64URL(crypto.getRandomValues(new Uint8Array(32)));
        function line(kind, text, ...children) {
          const node = document.createElement(kind);
          node.textContent = text;
          node.append(...children);
          answer.append(node);
          return node;
        }
        async function post(path, fields) {
          const response = await fetch(auth + path, { method: "POST", body: new URLSearchParams(fields) });
          return response.json();
        }
        const claims = token => {
          const text = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
          const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
          return JSON.parse(new TextDecoder().decode(bytes));
        };
        async function show(tokens) {
          answer.replaceChildren();
          if (tokens.error) {
            line("h2", "No access");
            line("p", `${tokens.error}: ${tokens.error_description ?? ""}`);
            return;
          }
          line("h2", "The agent has access");
          line("p", `It may: ${tokens.scope}`);
          line("h3", "Its access token says");
          line("pre", JSON.stringify(claims(tokens.access_token), null, 2)).tabIndex = 0;
          const info = await fetch(auth + "/oauth/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } });
          line("h3", `GET /oauth/userinfo answers ${info.status}`);
          line("pre", JSON.stringify(await info.json(), null, 2)).tabIndex = 0;
          const user = await fetch(auth + "/user", { headers: { authorization: `Bearer ${tokens.access_token}` } });
          line("p", `GET /user, the user's own API, answers ${user.status}: it is not for agents.`);
          const again = line("button", "Refresh");
          again.addEventListener("click", async () => show(await post("/oauth/token", {
            grant_type: "refresh_token", client_id: client, refresh_token: tokens.refresh_token })));
        }
        async function askInBrowser(scope) {
          const verifier = random(), state = random();
          sessionStorage.setItem("agent", JSON.stringify({ verifier, state }));
          const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
          location.assign(auth + "/oauth/authorize?" + new URLSearchParams({
            client_id: client, redirect_uri: place, response_type: "code", scope, state, nonce: random(),
            code_challenge: base64URL(digest), code_challenge_method: "S256" }));
        }
        async function askAsDevice(scope) {
          answer.replaceChildren();
          const begun = await post("/oauth/device_authorization", { client_id: client, scope });
          if (begun.error) return show(begun);
          line("h2", begun.user_code);
          const link = document.createElement("a");
          link.href = begun.verification_uri_complete;
          link.target = "_blank";
          link.textContent = begun.verification_uri;
          line("p", "Enter this code in the app, or at ", link);
          let wait = begun.interval;
          const ask = async () => {
            const tokens = await post("/oauth/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code",
              client_id: client, device_code: begun.device_code });
            if (tokens.error === "slow_down") wait += 5;
            if (["slow_down", "authorization_pending"].includes(tokens.error)) setTimeout(ask, wait * 1000);
            else show(tokens);
          };
          setTimeout(ask, wait * 1000);
        }
        document.getElementById("ask").addEventListener("submit", event => {
          event.preventDefault();
          const scope = event.target.elements.scope.value;
          event.submitter?.value === "device" ? askAsDevice(scope) : askInBrowser(scope);
        });
        const brought = new URLSearchParams(location.search);
        if (brought.has("code") || brought.has("error")) {
          const flow = JSON.parse(sessionStorage.getItem("agent") ?? "{}");
          sessionStorage.removeItem("agent");
          history.replaceState(null, "", place);
          // RFC 6749 10.12 and RFC 9207.
          if (brought.get("state") !== flow.state || brought.get("iss") !== auth) {
            show({ error: "wrong_state", error_description: "This answer is not for this agent." });
          } else if (brought.has("error")) {
            show({ error: brought.get("error"), error_description: brought.get("error_description") });
          } else {
            post("/oauth/token", { grant_type: "authorization_code", client_id: client, redirect_uri: place,
              code: brought.get("code"), code_verifier: flow.verifier }).then(show);
          }
        }
        """
}
