// Lines between the hunks of what differs are fetched where they stand; without a script
// their link leads to the file with all of its lines.
(() => {
  const STEP = 20;
  const fetched = async (lines, from, to, shift) => {
    const asked = new URLSearchParams({ from, to, shift, id: lines.closest(".diff-file").id });
    if (lines.classList.contains("beside")) asked.set("view", "parallel");
    const answer = await fetch(`${lines.dataset.lines}?${asked}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const holder = document.createElement("template");
    holder.innerHTML = await answer.text();
    return [...holder.content.children];
  };

  // The lines nearest to the hunk come first; those behind the last hunk have no known end.
  const show = async (link, lines) => {
    const row = link.parentElement;
    const [first, last, { shift }] = [Number(link.dataset.from), Number(link.dataset.to), link.dataset];
    if (!link.dataset.to) {
      const rows = await fetched(lines, first, first + STEP - 1, shift);
      row.before(...rows);
      link.dataset.from = first + rows.length;
      if (rows.length < STEP) row.remove();
      return rows;
    }
    const begin = last - first < 2 * STEP ? first : last - STEP + 1;
    const rows = await fetched(lines, begin, last, shift);
    if (begin === first) {
      row.replaceWith(...rows);
    } else {
      row.after(...rows);
      link.dataset.to = begin - 1;
      link.textContent = `Show ${begin - first} more lines`;
    }
    return rows;
  };

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a.gap");
    const lines = link?.closest("[data-lines]");
    if (!lines || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.hasAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    try {
      const rows = await show(link, lines);
      lines.dispatchEvent(new CustomEvent("lines-shown", { bubbles: true, detail: rows }));
      if (!link.isConnected) lines.focus({ preventScroll: true });
    } catch {
      location.assign(link.href);
    }
    link.removeAttribute("aria-busy");
  });
})();
