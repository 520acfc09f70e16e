// Keys: `/` and `Ctrl+K` search, `?` lists them, `g` and a letter go to a page, `c`
// begins an issue or a merge request, `e` edits one, `n` leads to its first open thread,
// `j` and `k` walk through a list; of a file `y` leads to its commit, `b` to who wrote it,
// `t` to finding another. Each follows a link that the page has, or does nothing.
(() => {
  const pages = { h: "/", t: "/dashboard/todos" };
  const parts = { f: "/-/tree", i: "/-/issues", m: "/-/merge_requests", p: "/-/packages", e: "/-/error_tracking", a: "/-/alert_management", u: "/-/members" };
  let leader = -Infinity;

  const typing = (target) => target.closest("input, textarea, select, [contenteditable], dialog");
  const follow = (link) => link && (link.click(), true);
  const ends = (link, end) => link.pathname.endsWith(end);
  const links = (where) => [...document.querySelectorAll(where)];

  const go = (key) => {
    if (pages[key]) return follow(links("a[href]").find((link) => link.getAttribute("href") === pages[key]));
    if (key === "o") return follow(document.querySelector(".rail-head"));
    return parts[key] && follow(links(".rail a").find((link) => ends(link, parts[key])));
  };

  const create = () =>
    follow(links("main a[href]").find((link) => ends(link, "/-/issues/new")));

  // On phones the header has a link in the place of the field; the page that it
  // leads to has a field of its own.
  const search = () => {
    const fields = links("#site-search, .search-form input[type=search]");
    const field = fields.find((one) => one.checkVisibility());
    if (!field) return location.assign("/search"), true;
    field.focus();
    field.select();
    return true;
  };

  // The first link of a row is what the row is about.
  const step = (by) => {
    const rows = links("main .things > li, main .rows > li, main tbody > tr").filter((row) => row.querySelector("a[href]"));
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
    if (!next) return false;
    next.querySelector("a[href]").focus();
    next.scrollIntoView({ block: "nearest" });
    return true;
  };

  // Keys that a page has for links of its own.
  const own = (key) => follow(links("main a[data-key]").find((link) => link.dataset.key === key));

  const act = (key) => {
    const led = performance.now() - leader < 1500;
    leader = -Infinity;
    if (led) return go(key);
    if (key === "g") leader = performance.now();
    if (key === "/") return search();
    if (key === "?") return location.assign("/-/help/shortcuts"), true;
    if (key === "c" && create()) return true;
    return (key === "j" && step(1)) || (key === "k" && step(-1)) || own(key);
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "k" || event.shiftKey) return;
      event.preventDefault();
      search();
      return;
    }
    if (!typing(event.target) && act(event.key)) event.preventDefault();
  });
})();
