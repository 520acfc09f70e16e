// A part of a page that changes by itself is fetched again while somebody looks at it, less
// and less often. What they have open or are writing stays as it is.
(() => {
  let part = document.querySelector("[data-live]");
  if (!part) return;
  const FIRST = 3;
  const LAST = 20;
  let seconds = FIRST;
  let failures = 0;
  const later = () => {
    setTimeout(look, seconds * 1000);
    seconds = Math.min(seconds * 1.5, LAST);
  };
  const isUsed = () => part.contains(document.activeElement) || part.querySelector("details[open]");
  const isWriting = () =>
    [...document.querySelectorAll("main textarea")].some((field) => field.value !== field.defaultValue);
  async function look() {
    if (document.hidden || isUsed()) return later();
    let answer;
    try {
      answer = await fetch(part.dataset.live, { headers: { accept: "text/html" } });
    } catch {
      answer = null;
    }
    if (!answer || !answer.ok) {
      failures += 1;
      if (failures < 5) later();
      return;
    }
    failures = 0;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(part.id);
    if (!fresh || isUsed()) return later();
    // The head of the page tells the same, and what was said about it.
    if (fresh.dataset.state !== part.dataset.state && !isWriting()) return location.reload();
    const changed = fresh.textContent !== part.textContent;
    part.replaceWith(fresh);
    part = fresh;
    if (changed) seconds = FIRST;
    if (part.dataset.live) later();
  }
  later();
})();
