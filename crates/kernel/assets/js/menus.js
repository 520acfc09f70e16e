// Menus close on Escape, on a click outside, when another one opens, and when
// the focus goes on, so that none hides what has it.
(() => {
  const closeOthers = (kept) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== kept) menu.open = false;
  };
  // Also of menus that come later.
  document.addEventListener("toggle", ({ target }) => target.matches("details.menu[open]") && closeOthers(target), true);
  document.addEventListener("click", (event) => closeOthers(event.target.closest("details.menu")));
  document.addEventListener("focusin", (event) => closeOthers(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.activeElement?.closest("details[open].menu, details[open].confirm");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
    closeOthers(null);
  });
})();
