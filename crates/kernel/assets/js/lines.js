// Lines of a file that an address names, `#L10` or `#L10-20`; a click with Shift on the
// number of another one names all lines between them.
(() => {
  if (!document.querySelector(".source")) return;
  const named = () => {
    const parts = location.hash.match(/^#L(\d+)(?:-L?(\d+))?$/);
    if (!parts) return null;
    const ends = [Number(parts[1]), Number(parts[2] ?? parts[1])];
    return ends.sort((one, other) => one - other);
  };
  const line = (number) => document.getElementById(`L${number}`);
  const pick = () => {
    for (const one of document.querySelectorAll(".source .picked")) one.classList.remove("picked");
    const ends = named();
    if (!ends) return;
    for (let at = ends[0]; at <= ends[1] && line(at); at += 1) line(at).classList.add("picked");
    if (ends[1] > ends[0]) line(ends[0])?.scrollIntoView();
    // What leads to the same lines at their commit, or elsewhere, takes them along.
    for (const link of document.querySelectorAll("a[data-key=y], a[data-key=b]")) link.hash = location.hash;
  };
  document.addEventListener("click", (event) => {
    const number = event.target.closest(".source a[href^='#L']");
    const ends = named();
    if (!number || !event.shiftKey || !ends) return;
    event.preventDefault();
    const other = Number(number.hash.slice(2));
    const range = [Math.min(ends[0], other), Math.max(ends[0], other)];
    history.replaceState(null, "", `#L${range[0]}-${range[1]}`);
    pick();
  });
  window.addEventListener("hashchange", pick);
  pick();
})();
