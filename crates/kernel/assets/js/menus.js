// Menus close on Escape, on a click outside, when another one opens, and when
// the focus goes on, so that none hides what has it.
(() => {
  const menus = document.querySelectorAll("details.menu");
  const closeOthers = (kept) => {
    for (const menu of menus) if (menu !== kept) menu.open = false;
  };
  for (const menu of menus) {
    menu.addEventListener("toggle", () => menu.open && closeOthers(menu));
  }
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
