/// The content security policy lists their digests.
enum APIScript {
    static let script: StaticString = """
        "use strict";
        const made = (kind, members, ...children) => {
          const node = Object.assign(document.createElement(kind), members);
          node.append(...children);
          return node;
        };
        const keys = document.getElementById("keys");
        const described = fetch("/openapi.json").then(answer => answer.ok ? answer.json() : Promise.reject());
        described.then(() => { keys.hidden = false; }, () => {});
        const found = (api, value) => value?.$ref
          ? value.$ref.split("/").slice(1).reduce((place, name) => place[name], api) : value;
        function example(api, schema) {
          schema = found(api, schema) ?? {};
          if (schema.default !== undefined) return schema.default;
          if (schema.enum) return schema.enum[0];
          const other = schema.anyOf ?? schema.allOf;
          if (other) return example(api, other[0]);
          const kind = Array.isArray(schema.type) ? schema.type[0] : schema.type;
          if (kind === "object") return Object.fromEntries(
            Object.entries(schema.properties ?? {}).map(([name, part]) => [name, example(api, part)]));
          if (kind === "array") return [];
          return { boolean: false, integer: 0, null: null }[kind] ?? (schema.format === "email" ? "ada@example.com" : "");
        }
        async function open(row) {
          const api = await described;
          const { method, path } = row.dataset;
          const operation = api.paths[path][method];
          const form = made("form", {});
          const fields = (operation.parameters ?? []).map(part => found(api, part)).map(part => {
            const input = made("input", { name: part.name, required: part.required === true, autocomplete: "off" });
            if (part.required) input.value = example(api, part.schema);
            form.append(made("label", { textContent: part.name + (part.in === "path" ? " (path)" : "") }, input));
            return { part, input };
          });
          const kinds = Object.keys(operation.requestBody?.content ?? {});
          let body;
          if (kinds.length) {
            const sample = example(api, operation.requestBody.content[kinds[0]].schema);
            body = made("textarea", { rows: 8, spellcheck: false });
            body.value = kinds[0].endsWith("json") ? JSON.stringify(sample, null, 2) : String(new URLSearchParams(sample));
            form.append(made("label", { textContent: kinds[0] }, body));
          }
          const output = made("pre", { tabIndex: 0 });
          output.setAttribute("aria-live", "polite");
          form.append(made("button", { textContent: "Send", className: "main" }), output);
          form.addEventListener("submit", async event => {
            event.preventDefault();
            let target = path;
            const query = new URLSearchParams();
            for (const { part, input } of fields) {
              if (part.in === "path") target = target.replace(`{${part.name}}`, encodeURIComponent(input.value));
              else if (input.value) query.set(part.name, input.value);
            }
            if (query.size) target += "?" + query;
            const headers = body ? { "content-type": kinds[0] } : {};
            const bearer = document.getElementById("bearer").value.trim();
            if (bearer) headers.authorization = "Bearer " + bearer;
            output.textContent = "…";
            try {
              const answer = await fetch(target, {
                method: method.toUpperCase(), headers, body: body?.value || undefined, redirect: "manual" });
              let text = await answer.text();
              try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* It is no JSON. */ }
              output.textContent = answer.type === "opaqueredirect"
                ? "A redirect, which this page does not follow." : `${answer.status}\\n${text}`;
            } catch (error) { output.textContent = String(error); }
          });
          row.append(form);
        }
        for (const row of document.querySelectorAll("details"))
          row.addEventListener("toggle", () => { if (row.open && !row.querySelector("form")) open(row).catch(() => {}); });
        """

    static let style: StaticString = """
        details{border:1px solid var(--line);border-radius:.75rem;background:var(--card);margin:0 0 .5rem}
        summary{min-height:44px;padding:.625rem 1rem;cursor:pointer}
        summary .quiet{display:block;font-size:.9375rem}
        details>p,details>form{margin:.5rem 1rem}
        label{display:block;margin:.5rem 0}
        label input,textarea{display:block;width:100%;padding:.5rem .75rem;background:var(--page);color:inherit}
        textarea,pre{font:.875rem/1.4 ui-monospace,monospace;border:1px solid var(--edge);border-radius:.75rem}
        pre{margin:.75rem 0;padding:.75rem;max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
        pre:empty{display:none}
        """
}
