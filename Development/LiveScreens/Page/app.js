// Shows the screen that the server renders, and sends taps and typed text. Updates the screen in place, so that focus,
// caret and text being typed survive.
"use strict";

const at = id => document.getElementById(id);
const address = location.pathname; // of this app
const [phone, connection, problem, announcements] = ["phone", "connection", "problem", "announcements"].map(at);
const settings = ["appearance", "language", "size"].map(at);
const isField = element => element instanceof HTMLInputElement && phone.contains(element);

let source;           // the event stream
let pause;            // before the next connection
let isMoved = false;  // the phone moved to another window
let frame = null;     // the latest frame
let heard = 0;        // the number of the last announcement read

// Actions. Sent one at a time, in order.

const queue = [];
let current = null;        // the action being sent
let isConnected = false;
let floor = 0;             // the revision that includes every action sent so far
const answered = new Map(); // a field's id -> the first revision with the text typed here

const isUnanswered = id => [current, ...queue].some(act => act && act.kind === "type" && act.id === id);

function send(what) {
  const act = { ...what, run: frame?.run };
  const last = queue.at(-1);
  if (act.kind === "type" && last && last.kind === "type" && last.id === act.id) last.text = act.text;
  else queue.push(act);
  work();
}

async function work() {
  if (current || !queue.length || !isConnected) return;
  current = queue.shift();
  try {
    const answer = await fetch(address + "/actions", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(current),
    });
    if (answer.ok) {
      const { revision } = await answer.json();
      floor = revision;
      if (current.kind === "type") answered.set(current.id, revision);
    } else if (answer.status === 410 && current.run === frame?.run) {
      // The browser now has a different phone, so these actions are obsolete.
      queue.length = 0;
      reconnect();
    }
  } catch {
    // The request was lost or its outcome is unknown. Repeat typing, which is idempotent.
    if (current.kind === "type" && !queue.some(act => act.kind === "type" && act.id === current.id)) {
      queue.unshift(current);
    }
    reconnect();
  }
  current = null;
  if (queue.length) work();
  else if (frame) show(frame);
}

// Frames.

function connect() {
  source = new EventSource(address + "/events");
  source.onerror = () => {
    lose();
    // After a refusal the browser does not reconnect by itself.
    if (source.readyState === EventSource.CLOSED) reconnect();
  };
  source.addEventListener("screen", event => receive(JSON.parse(event.data)));
  source.addEventListener("moved", leave);
}

// The server sends a frame after every connection, even without changes.
function reconnect() {
  if (isMoved) return;
  lose();
  source.close();
  clearTimeout(pause);
  pause = setTimeout(connect, 1000);
}

function lose() {
  isConnected = false;
  say("lost", "Not connected. Trying again …");
}

function say(state, text) {
  if (connection.dataset.is === state) return;
  connection.dataset.is = state;
  connection.textContent = text;
  phone.classList.toggle("asleep", state === "lost" || state === "moved");
}

// Too many windows show the phone. This one stays disconnected until the user returns to it.
function leave() {
  source.close();
  isConnected = false;
  rest(true);
  say("moved", "Open in another window.");
}

function rest(isOver) {
  isMoved = isOver;
  at("here").hidden = !isOver;
  for (const part of [phone, ...document.querySelectorAll(".setting, .doing")]) part.inert = isOver;
}

at("here").addEventListener("click", () => {
  // These actions belong to the screen at that time.
  queue.length = 0;
  rest(false);
  say("connecting", "Connecting …");
  // Restores the keyboard focus.
  isAdrift = true;
  connect();
});

function receive(next) {
  if (frame?.run !== next.run) {
    // Another phone, or the app was restarted: pending actions do not apply to it.
    answered.clear();
    queue.length = visited.length = floor = 0;
    heard = next.announcements.at(-1)?.number ?? 0;
    focusShown = spokenShown = null;
  }
  frame = next;
  isConnected = true;
  say("connected", "Connected");
  show(next);
  for (const { number, text } of next.announcements) if (number > heard) announce(number, text);
  work();
}

function announce(number, text) {
  heard = number;
  const line = document.createElement("p");
  line.textContent = text;
  announcements.append(line);
  while (announcements.childElementCount > 5) announcements.firstElementChild.remove();
}

function show(next) {
  const wasInside = phone.contains(document.activeElement);
  phone.lang = next.language;
  phone.dir = next.direction;
  phone.style.fontSize = next.fontSize;
  phone.classList.toggle("dark", next.appearance === "dark");
  phone.classList.toggle("light", next.appearance !== "dark");
  problem.hidden = !next.problem;
  problem.textContent = next.problem ?? "";
  // An older frame has the settings from before the last change.
  if (next.revision >= floor && ![current, ...queue].some(act => act?.kind === "set")) {
    for (const setting of settings) setting.value = next[setting.id];
    at("offline").checked = next.offline;
  }
  at("reload").disabled = !next.canReload;
  isShowing = true;
  children(phone, new DOMParser().parseFromString(next.html, "text/html").body, next.revision);
  isShowing = false;
  moveFocus(next, wasInside);
}

// Updates the screen in place. Elements are identified by their ids.

function children(from, to, revision) {
  const wanted = new Set(Array.from(to.children, child => child.id));
  for (const child of [...from.childNodes]) if (child.id && !wanted.has(child.id)) child.remove();
  const known = new Map(Array.from(from.children, child => [child.id, child]));
  let here = from.firstChild;
  for (const next of [...to.childNodes]) {
    const found = next.id ? known.get(next.id) : here && !here.id ? here : null;
    if (found && found.nodeName === next.nodeName) {
      if (found !== here) from.insertBefore(found, here);
      change(found, next, revision);
      here = found.nextSibling;
    } else {
      const made = document.importNode(next, true);
      from.insertBefore(made, here);
      for (const element of made.querySelectorAll?.("*") ?? []) paint(element);
      if (made instanceof Element) paint(made);
    }
  }
  while (here) {
    const rest = here;
    here = here.nextSibling;
    rest.remove();
  }
}

function change(element, next, revision) {
  if (element.nodeType === Node.TEXT_NODE) {
    if (element.data !== next.data) element.data = next.data;
    return;
  }
  const mine = element.dataset?.styleText;
  for (const { name } of [...element.attributes]) {
    if (!next.hasAttribute(name) && name !== "style" && name !== "tabindex") element.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  if (next.dataset?.styleText !== mine) paint(element);
  if (element instanceof HTMLInputElement) fill(element, next, revision);
  else children(element, next, revision);
}

function paint(element) {
  if (element.dataset?.styleText !== undefined) element.style.cssText = element.dataset.styleText;
}

// Does not overwrite text that was typed after the server's state. The server never sends the text of a secure field,
// only whether it is empty.
function fill(field, next, revision) {
  if (isUnanswered(field.id) || isComposing || revision < (answered.get(field.id) ?? 0)) return;
  if (field.type === "password") {
    if (next.dataset.filled === "false" && field.value) field.value = "";
  } else if (field.value !== next.getAttribute("value")) {
    field.value = next.getAttribute("value") ?? "";
  }
}

// Focus of the keyboard and the screen reader.

let focusShown = null;   // the field that the app last focused
let spokenShown = null;  // the element that the app last moved VoiceOver to
let isShowing = false;
let isComposing = false;
let isAdrift = false;    // the focused element disappeared or is disabled
const visited = [];      // previously focused elements, with the presentation on top

const isUsable = element =>
  element && element !== document.body && phone.contains(element) && !element.disabled && !element.closest("[inert]");

function moveFocus(next, wasInside) {
  if (wasInside && !isUsable(document.activeElement)) isAdrift = true;
  // A pending action may move the focus.
  if (current || queue.length || next.revision < floor) return;
  if (next.focused !== focusShown) {
    focusShown = next.focused;
    const field = focusShown && at(focusShown);
    isShowing = true;
    if (isUsable(field)) field.focus();
    else if (!focusShown && isField(document.activeElement)) document.activeElement.blur();
    isShowing = false;
    if (isUsable(field)) {
      isAdrift = false;
      return;
    }
  }
  if (next.spoken !== spokenShown) {
    spokenShown = next.spoken;
    if (spokenShown && take(at(spokenShown))) return;
  }
  if (isUsable(document.activeElement)) isAdrift = false;
  else if (isAdrift) find(next.top);
}

// Moves the focus to the element that had it before on this presentation, otherwise to the beginning of the new
// content. An element that is temporarily disabled gets the focus back.
function find(top) {
  const last = visited.at(-1);
  if (last && last.top === top && at(last.id)) {
    if (isUsable(at(last.id))) take(at(last.id));
    return;
  }
  const before = visited.findLast(place => place.top === top && isUsable(at(place.id)));
  const layer = [...phone.querySelectorAll(".layer")].at(-1) ?? phone;
  take(before ? at(before.id) : layer.querySelector(".title") ?? layer.querySelector("[role$=dialog]") ?? phone);
}

function take(element) {
  if (!element || element.closest("[inert]")) return false;
  if (element.tabIndex < 0) element.setAttribute("tabindex", "-1");
  isShowing = true;
  element.focus();
  isShowing = false;
  isAdrift = document.activeElement !== element;
  return !isAdrift;
}

document.addEventListener("focusin", () => {
  if (!isShowing) isAdrift = false;
});
phone.addEventListener("focusin", ({ target }) => {
  if (target.id && target.tabIndex >= 0) {
    visited.push({ id: target.id, top: frame?.top ?? "" });
    if (visited.length > 100) visited.shift();
  }
  // Even if the latest frame already says so, because it may be older than the last action.
  if (isField(target) && !isShowing) send({ kind: "focus", id: target.id });
});

phone.addEventListener("focusout", ({ target, relatedTarget }) => {
  // The field keeps its focus when the window loses it.
  if (!isField(target) || isShowing || isField(relatedTarget) || !document.hasFocus()) return;
  focusShown = null;
  send({ kind: "blur", id: target.id });
});

// User input.

// A tap beside a sheet does not move the keyboard focus.
phone.addEventListener("mousedown", event => {
  if (event.target.matches(".dim")) event.preventDefault();
});

phone.addEventListener("click", event => {
  const touched = event.target.closest("button, a[href], input, [data-taps], .dim");
  if (!touched || touched instanceof HTMLInputElement) return;
  if (touched.matches(".dim")) send({ kind: "dismiss" });
  else if (touched.matches("a[href]")) openBrowser(event, touched.href);
  else send({ kind: "tap", id: touched.id });
});

// A separate window, which the last page of the flow can close.
function openBrowser(event, address) {
  const browser = open(address, "_blank", "popup,width=480,height=760");
  if (!browser) return; // Blocked: the link itself opens a tab.
  event.preventDefault();
  const timer = setInterval(() => {
    if (!browser.closed) return;
    clearInterval(timer);
    send({ kind: "browserClosed" });
  }, 300);
}

phone.addEventListener("compositionstart", () => { isComposing = true; });
phone.addEventListener("compositionend", () => { isComposing = false; });
phone.addEventListener("input", ({ target }) => {
  if (isField(target)) send({ kind: "type", id: target.id, text: target.value });
});

document.addEventListener("keydown", event => {
  const { target, key } = event;
  if (key === "Enter" && isField(target) && !event.isComposing) {
    event.preventDefault();
    send({ kind: "submit", id: target.id });
    // The app moves the focus too; moving it here first keeps up with fast typing.
    if (target.enterKeyHint === "next") nextField(target)?.focus();
  } else if (key === "Escape" && (target === document.body || phone.contains(target))) {
    send({ kind: "dismiss" });
  }
});

function nextField(field) {
  const all = [...field.closest(".layer").querySelectorAll("input")].filter(isUsable);
  return all[all.indexOf(field) + 1];
}

// The controls beside the phone.

for (const setting of settings) {
  setting.addEventListener("change", () => send({ kind: "set", name: setting.id, value: setting.value }));
}
at("offline").addEventListener("change", ({ target }) => {
  send({ kind: "set", name: "offline", value: String(target.checked) });
});
for (const kind of ["reload", "restart", "forget"]) at(kind).addEventListener("click", () => send({ kind }));

connect();
