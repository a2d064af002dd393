// Adds new rows at the top of the page's table, once a second, until the operator pauses. Without this script the page has a
// link that refreshes it.
"use strict";
(() => {
  const { address, next: first, most } = document.currentScript.dataset;
  const body = document.querySelector("main tbody");
  const link = document.querySelector("main .actions a");
  const titles = [...document.querySelectorAll("main thead th")].map((th) => th.textContent);
  let [next, isPaused, wait] = [Number(first), false, 1000];

  const button = document.createElement("button");
  button.type = "button";
  button.className = "button plain";
  button.textContent = "Pause";
  button.addEventListener("click", () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? "Continue" : "Pause";
  });
  link.replaceWith(button);

  function cell(row, text, className) {
    const [cell, inner] = [row.insertCell(), document.createElement("div")];
    cell.setAttribute("role", "cell");
    cell.dataset.title = titles[row.cells.length - 1];
    if (className) cell.className = className;
    inner.append(text);
    cell.append(inner);
    return inner;
  }

  function span(text, className) {
    const span = document.createElement("span");
    span.className = className;
    span.textContent = text;
    return span;
  }

  function anchor(text, address) {
    const anchor = document.createElement("a");
    anchor.href = address;
    anchor.textContent = text;
    return anchor;
  }

  function add(entry) {
    const row = body.insertRow(0);
    row.setAttribute("role", "row");
    cell(row, entry.time);
    cell(row, entry.trace ? anchor(entry.request, entry.trace) : entry.request);
    const status = cell(row, "");
    if (entry.code) status.append(span(entry.code, "detail"));
    status.append(span(entry.status, `badge ${entry.tone}`));
    cell(row, entry.took, "number");
    while (body.rows.length > Number(most)) body.deleteRow(-1);
  }

  async function ask() {
    if (!isPaused && !document.hidden) {
      try {
        const answer = await fetch(`${address}?after=${next}`, { redirect: "manual" });
        if (answer.type === "opaqueredirect") return location.reload();
        if (!answer.ok) throw new Error(answer.statusText);
        const { next: last, rows } = await answer.json();
        // The page has no table while there are no requests.
        if (!body && rows.length > 0) return location.reload();
        next = last;
        rows.forEach(add);
        wait = 1000;
      } catch {
        wait = Math.min(wait * 2, 30000);
      }
    }
    setTimeout(ask, wait);
  }
  setTimeout(ask, wait);
})();
