// Editors and pickers have a script of their own, for pages that have any, boards another,
// and the changes of merge requests a third one. Names are suggested to people who are signed in.
(() => {
  const isSignedIn = document.querySelector('form[action="/users/sign_out"]');
  const isRefused = document.querySelector(".stop-page");
  const [way] = performance.getEntriesByType("navigation");
  const isSaved = isSignedIn && !isRefused && way?.type !== "back_forward";

  // Text that was sent is done with, unless a refusal or the sign-in came of
  // it: then the editor that it was typed in offers it again.
  const each = (work) => {
    try {
      const names = Object.keys(sessionStorage).filter((name) => name.startsWith("draft "));
      names.forEach((name) => work(name, JSON.parse(sessionStorage[name])));
    } catch {
      // It is switched off, or full.
    }
  };
  each((name, { text, sent }) => {
    if (sent && isSaved) sessionStorage.removeItem(name);
    else if (sent) sessionStorage[name] = JSON.stringify({ text });
  });
  isSignedIn?.addEventListener("submit", () => each((name) => sessionStorage.removeItem(name)));

  const fetchScript = (url) => {
    const script = document.createElement("script");
    script.src = url;
    document.head.append(script);
  };
  if (isSignedIn && document.querySelector("[data-editor], [data-pick], #say-form")) fetchScript(writing);
  if (document.querySelector("[data-board]")) fetchScript(boards);
  if (document.querySelector("[data-review]")) fetchScript(reviews);
})();
