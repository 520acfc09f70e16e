// Lists whose order people change: a row is dragged by its grip, or moved by the arrow
// keys on it. What the buttons of a row do without a script is sent from here, too.
(() => {
  const said = suggest.element("span", { class: "hush", role: "status" });
  document.body.append(said);

  const name = (row) => row.querySelector("a").textContent;
  const place = (row) => [...row.parentElement.children].indexOf(row) + 1;

  // Sends where a row stands now, one after the other; where that is refused it goes
  // back. What is said comes in the order of the keys, each true for its own step.
  let sent = Promise.resolve();
  const send = (row, before) => {
    const form = row.querySelector("form");
    const fields = new URLSearchParams(new FormData(form));
    const [above, below] = [row.previousElementSibling, row.nextElementSibling];
    fields.set("deed", "place");
    fields.set("quiet", "true");
    if (above) fields.set("after", above.dataset.key);
    else fields.set("before", below.dataset.key);
    const done = `${name(row)} is now number ${place(row)} of ${row.parentElement.children.length}`;
    sent = sent.then(() => post(row, before, form.action, fields, done));
  };
  const post = async (row, before, address, body, done) => {
    const alert = row.closest(".card").querySelector("[data-said]");
    const answer = await fetch(address, { method: "POST", body }).catch(() => ({ ok: false }));
    alert.hidden = answer.ok;
    if (answer.ok) {
      said.textContent = done;
      return;
    }
    row.parentElement.insertBefore(row, before);
    alert.textContent = "It could not be moved. Reload the page and try again.";
  };

  const drag = (row, grip) => {
    let [from, moving] = [null, false];
    // Where the row would stand for a pointer at this height.
    const follow = (y) => {
      for (const other of row.parentElement.children) {
        if (other === row) continue;
        const { top, height } = other.getBoundingClientRect();
        const isBefore = row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
        if (isBefore && y < top + height / 2) return other.before(row);
        if (!isBefore && y > top + height / 2 && row.nextElementSibling === other) return other.after(row);
      }
    };
    const end = (isDone) => {
      if (!moving) return;
      moving = false;
      row.classList.remove("moving");
      if (!isDone) row.parentElement.insertBefore(row, from);
      else if (row.nextElementSibling !== from) send(row, from);
    };
    grip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      [from, moving] = [row.nextElementSibling, true];
      row.classList.add("moving");
    });
    // A row that moves in the page keeps no pointer, so the document is asked.
    document.addEventListener("pointermove", (event) => moving && follow(event.clientY));
    document.addEventListener("pointerup", () => end(true));
    document.addEventListener("pointercancel", () => end(false));
    grip.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return end(false);
      const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
      if (!step) return;
      event.preventDefault();
      const [other, before] = [row[step], row.nextElementSibling];
      if (!other) {
        const text = `${name(row)} stands at the end`;
        sent = sent.then(() => (said.textContent = text));
        return;
      }
      if (event.key === "ArrowUp") other.before(row);
      else other.after(row);
      grip.focus();
      send(row, before);
    });
  };

  for (const list of document.querySelectorAll("[data-order]")) {
    for (const row of list.children) {
      const grip = row.querySelector("[data-grip]");
      grip.hidden = false;
      grip.disabled = list.children.length < 2;
      drag(row, grip);
    }
  }
})();
