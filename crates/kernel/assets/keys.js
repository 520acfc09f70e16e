// Security keys: asks the server what to ask, the browser for the key's
// answer, and sends that with the plain form the button belongs to.
(() => {
  const WORDS = {
    InvalidStateError: "This security key is one of yours already.",
    NotAllowedError: "The key did not answer in time, or you cancelled.",
    NotSupportedError: "This key cannot do what is needed.",
    SecurityError: "The browser does not allow keys at this address.",
  };
  const keys = window.PublicKeyCredential;
  const able = navigator.credentials && keys?.parseCreationOptionsFromJSON;

  const options = async (form) => {
    const sent = new URLSearchParams(new FormData(form));
    sent.delete(form.dataset.field ?? "answer");
    const answer = await fetch(form.dataset.options, { method: "POST", body: sent });
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      const text = typeof told.message === "string" ? told.message : told.message?.error;
      throw new Error(text || "That did not work. Reload the page and try again.");
    }
    return told;
  };

  const ask = async (kind, told) => {
    if (kind === "create") {
      const publicKey = keys.parseCreationOptionsFromJSON(told);
      return navigator.credentials.create({ publicKey });
    }
    const publicKey = keys.parseRequestOptionsFromJSON(told);
    return navigator.credentials.get({ publicKey });
  };

  for (const form of document.querySelectorAll("form[data-key]")) {
    const field = form.dataset.field ?? "answer";
    const button = form.querySelector("button");
    const said = form.querySelector("[data-said]");
    const say = (text) => {
      said.textContent = text;
      said.hidden = !text;
    };
    if (!able) {
      say("This browser cannot use security keys.");
      continue;
    }
    button.disabled = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      say("");
      button.disabled = true;
      try {
        const key = await ask(form.dataset.key, await options(form));
        form.elements[field].value = JSON.stringify(key.toJSON());
        if (form.elements.current_password) form.elements.current_password.disabled = true;
        HTMLFormElement.prototype.submit.call(form);
      } catch (error) {
        say(WORDS[error.name] ?? error.message);
        button.disabled = false;
      }
    });
  }
})();
