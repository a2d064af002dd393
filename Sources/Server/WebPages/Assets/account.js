// Passkeys, and printing. The browser answers the options in a form, and the form takes the answer to the server. Without this
// script the form stays hidden, and every other part of the pages works.
"use strict";
(() => {
  for (const button of document.querySelectorAll("button[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }

  const form = document.querySelector("form[data-passkey]");
  if (!form || !window.PublicKeyCredential || !navigator.credentials) return;
  const isNew = form.dataset.passkey === "create";
  const isInField = form.dataset.start === "field";
  let pending;

  function bytes(text) {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
  }

  function text(buffer) {
    const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
    return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  }

  function options() {
    const options = JSON.parse(form.dataset.options);
    options.challenge = bytes(options.challenge);
    if (options.user) options.user.id = bytes(options.user.id);
    for (const credential of [...(options.excludeCredentials ?? []), ...(options.allowCredentials ?? [])]) {
      credential.id = bytes(credential.id);
    }
    return options;
  }

  function answer({ id, rawId, type, response, authenticatorAttachment }) {
    const members = { clientDataJSON: text(response.clientDataJSON) };
    for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (response[name]) members[name] = text(response[name]);
    }
    if (response.getTransports) members.transports = response.getTransports();
    return JSON.stringify({
      id, rawId: text(rawId), type, response: members, authenticatorAttachment, clientExtensionResults: {},
    });
  }

  async function ask(mediation) {
    pending?.abort();
    const controller = (pending = new AbortController());
    try {
      const request = { publicKey: options(), signal: controller.signal, ...(mediation && { mediation }) };
      const credential = await (isNew ? navigator.credentials.create(request) : navigator.credentials.get(request));
      form.elements.credential.value = answer(credential);
      form.elements.failure.value = "";
    } catch (error) {
      // A user who cancels, or a request that another one replaces, needs no message.
      if (error.name === "AbortError" || mediation) return;
      if (error.name === "NotAllowedError") return isInField ? ask("conditional") : undefined;
      form.elements.credential.value = "";
      form.elements.failure.value = error.name;
    }
    form.submit();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  form.hidden = false;
  document.querySelector("[data-unscripted]")?.remove();
  if (form.dataset.start === "once") ask();
  if (isInField) {
    PublicKeyCredential.isConditionalMediationAvailable?.().then((isAvailable) => isAvailable && ask("conditional"));
  }
})();
