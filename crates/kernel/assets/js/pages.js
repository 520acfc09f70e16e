// A form whose answer was given already goes on by itself.
document.querySelector("form[data-submit=now]")?.submit();

// Exact times in the reader's own zone, unless they chose one.
const times = document.documentElement.dataset.zone ? [] : document.querySelectorAll("time[datetime]");
for (const time of times) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.getTime())) time.title = at.toLocaleString();
}

// A message is taken away once it was read.
for (const button of document.querySelectorAll("button[data-dismiss]")) {
  button.hidden = false;
  button.addEventListener("click", () => button.parentElement.remove());
}

// What an address names is shown, also where it is folded away.
const unfold = () => {
  const named = document.getElementById(location.hash.slice(1));
  const folded = named?.parentElement?.closest("details.resolved:not([open])");
  if (folded) {
    folded.open = true;
    named.scrollIntoView();
  }
};
window.addEventListener("hashchange", unfold);
unfold();
// The current tab is in sight where a row of tabs is wider than the screen.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.closest(".tabs");
  const [own, all] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
}
