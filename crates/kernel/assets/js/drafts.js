// Texts that were typed and not saved, kept in this tab by address and field,
// and offered again. What becomes of those that were sent stands in writing.js.
const drafts = (() => {
  // Somebody else may sign in in the same tab.
  const who = document.querySelector(".who span")?.textContent;

  const read = (name) => {
    try {
      return JSON.parse(sessionStorage.getItem(name));
    } catch {
      return null;
    }
  };
  const write = (name, draft) => {
    try {
      if (draft) sessionStorage.setItem(name, JSON.stringify(draft));
      else sessionStorage.removeItem(name);
    } catch {
      // Full, or switched off: then nothing is kept.
    }
  };

  const offer = (area, host, name, text) => {
    const restore = suggest.element("button", { type: "button", class: "button small" }, "Restore");
    const discard = suggest.element("button", { type: "button", class: "button small" }, "Discard");
    const row = suggest.element("p", { class: "draft", role: "status" }, "Text that you did not save is kept. ", restore, " ", discard);
    restore.addEventListener("click", () => {
      typing.replace(area, 0, area.value.length, text, text.length);
      row.remove();
    });
    discard.addEventListener("click", () => {
      write(name, null);
      row.remove();
      area.focus();
    });
    host.prepend(row);
  };

  const keep = (area, host) => {
    const name = `draft ${who} ${location.pathname} ${area.id}`;
    const text = read(name)?.text;
    if (text && text !== area.value) offer(area, host, name, text);
    let isDirty = false;
    const save = () => {
      if (isDirty) write(name, area.value === area.defaultValue ? null : { text: area.value });
      isDirty = false;
    };
    const later = suggest.calmly(save);
    area.addEventListener("input", () => {
      isDirty = true;
      later();
    });
    addEventListener("pagehide", save);
    area.form?.addEventListener("submit", (event) => {
      if (event.defaultPrevented || !area.value) return;
      isDirty = false;
      write(name, { text: area.value, sent: true });
    });
  };

  return { keep };
})();
