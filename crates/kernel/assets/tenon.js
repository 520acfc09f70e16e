// Comforts only; every page works without this file.
(() => {
  const all = (selector) => document.querySelectorAll(selector);

  // Copy buttons are hidden until they can work.
  if (navigator.clipboard) {
    for (const button of all("button[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const field = document.getElementById(button.dataset.copy);
        const label = button.querySelector("span");
        const before = label.textContent;
        try {
          await navigator.clipboard.writeText(field.value ?? field.textContent);
          label.textContent = "Copied";
        } catch {
          label.textContent = "Select and copy";
        }
        setTimeout(() => (label.textContent = before), 2000);
      });
    }
  }

  // Menus close on Escape, on a click outside, and when another one opens.
  const menus = all("details.menu");
  const closeOthers = (kept) => {
    for (const menu of menus) if (menu !== kept) menu.open = false;
  };
  for (const menu of menus) {
    menu.addEventListener("toggle", () => menu.open && closeOthers(menu));
  }
  document.addEventListener("click", (event) => closeOthers(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const open = document.activeElement?.closest("details[open].menu, details[open].confirm");
      if (open) {
        open.open = false;
        open.querySelector("summary").focus();
      }
      closeOthers(null);
    }
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const search = document.getElementById("site-search");
      if (search) {
        event.preventDefault();
        search.focus();
      }
    }
  });

  // A form whose answer was given already goes on by itself.
  document.querySelector("form[data-submit=now]")?.submit();

  // Exact times in the reader's own zone.
  for (const time of all("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.title = at.toLocaleString();
  }
})();
