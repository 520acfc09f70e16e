// The log of a job that goes on: what was added since is fetched while somebody looks.
(() => {
  const log = document.querySelector("[data-follow]");
  if (!log) return;
  const isAtEnd = () => innerHeight + scrollY >= document.body.scrollHeight - 80;
  let url = new URL(log.dataset.follow, location.href);
  let failures = 0;
  const later = (seconds) => setTimeout(fetchMore, seconds * 1000);
  async function fetchMore() {
    if (document.hidden) return later(3);
    let answer;
    try {
      answer = await fetch(url, { headers: { accept: "text/plain" } });
    } catch {
      answer = null;
    }
    if (!answer || !answer.ok) {
      failures += 1;
      if (failures < 10) later(3 * failures);
      return;
    }
    failures = 0;
    const added = new DOMParser().parseFromString(await answer.text(), "text/html").body;
    const follows = isAtEnd();
    const isMore = added.childElementCount > 0;
    log.append(...added.childNodes);
    if (isMore && follows) scrollTo(0, document.body.scrollHeight);
    url.searchParams.set("from", answer.headers.get("x-log-ends"));
    if (answer.headers.get("x-job-status") === "running" || isMore) later(isMore ? 1 : 3);
    else location.reload();
  }
  later(2);
})();

// A pipeline file is looked at while it is written.
(() => {
  const form = document.querySelector("form[data-checked]");
  if (!form) return;
  let timer;
  let asked = 0;
  const check = async () => {
    asked += 1;
    const mine = asked;
    const fields = new URLSearchParams(new FormData(form));
    // Its buttons are called action, so the form has no such property.
    fields.set("action", "check");
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields });
      if (!answer.ok || mine !== asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const result = page.getElementById("checked");
      if (result) document.getElementById("checked").replaceChildren(...result.childNodes);
    } catch {
      // The button does the same.
    }
  };
  form.elements.content.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(check, 800);
  });
})();
