// Shows the screen that the server draws, and tells it what is tapped and typed. The screen is changed in place, so
// that focus, caret and what is being typed survive.
"use strict";

const at = id => document.getElementById(id);
const [phone, connection, problem, announcements] = ["phone", "connection", "problem", "announcements"].map(at);
const settings = ["appearance", "language", "size"].map(at);
const isField = element => element instanceof HTMLInputElement && phone.contains(element);

let source;           // of events
let pause;            // before the next one
let isMoved = false;  // to another window
let frame = null;     // the newest that came
let heard = 0;        // the number of the last announcement

// What is sent. One thing at a time, in the order in which it was done.

const queue = [];
let current = null;        // what is on its way
let isConnected = false;
let floor = 0;             // the revision that has everything in it that was sent so far
const answered = new Map(); // a field's id -> the revision from which on its text is the one typed here

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
    const answer = await fetch("/app/actions", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(current),
    });
    if (answer.ok) {
      const { revision } = await answer.json();
      floor = revision;
      if (current.kind === "type") answered.set(current.id, revision);
    } else if (answer.status === 410 && current.run === frame?.run) {
      // This window's phone is not the browser's any more: nothing would come of it.
      queue.length = 0;
      reconnect();
    }
  } catch {
    // It did not arrive, or nobody knows: typing is repeated, because it does no harm.
    if (current.kind === "type" && !queue.some(act => act.kind === "type" && act.id === current.id)) {
      queue.unshift(current);
    }
    reconnect();
  }
  current = null;
  if (queue.length) work();
  else if (frame) show(frame);
}

// What comes.

function connect() {
  source = new EventSource("/app/events");
  source.onerror = () => {
    lose();
    // A browser that was refused does not try again by itself.
    if (source.readyState === EventSource.CLOSED) reconnect();
  };
  source.addEventListener("screen", event => receive(JSON.parse(event.data)));
  source.addEventListener("moved", leave);
}

// Whoever connects is sent a screen, whether or not anything is new.
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

// Too many windows show the phone. This one rests until somebody wants it.
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
  // What was meant for the screen of that time.
  queue.length = 0;
  rest(false);
  say("connecting", "Connecting …");
  // The keyboard goes back to where it was.
  isAdrift = true;
  connect();
});

function receive(next) {
  if (frame?.run !== next.run) {
    // Another phone, or the app was started again: what was meant for the other one is not for this.
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
  if (![current, ...queue].some(act => act?.kind === "set")) {
    for (const setting of settings) setting.value = next[setting.id];
    at("offline").checked = next.offline;
  }
  at("reload").disabled = !next.canReload;
  isShowing = true;
  children(phone, new DOMParser().parseFromString(next.html, "text/html").body, next.revision);
  isShowing = false;
  moveFocus(next, wasInside);
}

// Changing the screen in place. Elements are the same when their ids are.

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

// What was typed here later than the server knows is not overwritten. What is in a secure field the server never says,
// only that there is nothing.
function fill(field, next, revision) {
  if (isUnanswered(field.id) || isComposing || revision < (answered.get(field.id) ?? 0)) return;
  if (field.type === "password") {
    if (next.dataset.filled === "false" && field.value) field.value = "";
  } else if (field.value !== next.getAttribute("value")) {
    field.value = next.getAttribute("value") ?? "";
  }
}

// Where the keyboard and the screen reader are.

let focusShown = null;   // what the app last wanted to have the keyboard
let spokenShown = null;  // what it last wanted to be spoken
let isShowing = false;
let isComposing = false;
let isAdrift = false;    // what had the focus is gone, or cannot have it now
const visited = [];      // what had the focus, and what lay on top then

const isUsable = element =>
  element && element !== document.body && phone.contains(element) && !element.disabled && !element.closest("[inert]");

function moveFocus(next, wasInside) {
  if (wasInside && !isUsable(document.activeElement)) isAdrift = true;
  // What is on its way may move it.
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

// The focus goes to what had it before, else to the beginning of what is new. What cannot have it for a while gets it
// back.
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
  // Also when the newest screen says so already: it may be older than what the app was told since.
  if (isField(target) && !isShowing) send({ kind: "focus", id: target.id });
});

phone.addEventListener("focusout", ({ target, relatedTarget }) => {
  // A window that is left keeps its keyboard.
  if (!isField(target) || isShowing || isField(relatedTarget) || !document.hasFocus()) return;
  focusShown = null;
  send({ kind: "blur", id: target.id });
});

// What a person does with the phone.

// A tap beside a sheet leaves the keyboard where it is.
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

// A window of its own, which the page that it ends on can close.
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
    // The app says where the keyboard goes; whoever types on meanwhile is there already.
    if (target.enterKeyHint === "next") nextField(target)?.focus();
  } else if (key === "Escape" && (target === document.body || phone.contains(target))) {
    send({ kind: "dismiss" });
  }
});

function nextField(field) {
  const all = [...field.closest(".layer").querySelectorAll("input")].filter(isUsable);
  return all[all.indexOf(field) + 1];
}

// The switches beside it.

for (const setting of settings) {
  setting.addEventListener("change", () => send({ kind: "set", name: setting.id, value: setting.value }));
}
at("offline").addEventListener("change", ({ target }) => {
  send({ kind: "set", name: "offline", value: String(target.checked) });
});
for (const kind of ["reload", "restart", "forget"]) at(kind).addEventListener("click", () => send({ kind }));

connect();
