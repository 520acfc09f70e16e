// Menus close on Escape, on a click outside, and when another one opens; `/`
// goes to the search.
(() => {
  const menus = document.querySelectorAll("details.menu");
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
})();
