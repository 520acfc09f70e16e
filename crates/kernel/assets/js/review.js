// The changes of a merge request: files are fetched when they come near, lines are
// commented on where they stand, by pointer and by keys, and forms do not leave the page.
// Everything is there without a script, too: each link and form has an address.
(() => {
  const review = document.querySelector("[data-review]");
  if (!review) return;
  const blank = document.getElementById("say-form");
  const sayAt = review.dataset.say;
  const all = (where, root = review) => [...root.querySelectorAll(where)];
  const bar = () => document.getElementById("review-bar");
  const say = (text) => {
    const said = review.querySelector("[data-review-said]");
    if (said) said.textContent = text;
  };
  const isPlain = (event) => !(event.button || event.ctrlKey || event.metaKey || event.altKey);
  const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
  const page = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(String(answer.status));
    return parsed(await answer.text());
  };
  const partOf = (address) => {
    const url = new URL(address, location.href);
    url.searchParams.set("part", "1");
    url.hash = "";
    return url;
  };

  // Lines. Each has one link that comments on it, named by its counters.
  const nameOf = (link) => link.hash.slice(1);
  const rowOf = (link) => link.closest(".pair") ?? link.parentElement;
  const labelOf = (link) => link.getAttribute("aria-label").replace("Comment on ", "");
  const linksOf = (lines) => all(".say", lines);
  // In two columns a range stays in the one that it begins in.
  const isBeside = (one, other) => {
    if (!one.closest(".pair")) return true;
    const column = (link) => [...link.closest(".pair").children].indexOf(link.parentElement);
    return column(one) === column(other);
  };
  const between = (one, other) => {
    const links = linksOf(one.closest(".diff-lines"));
    const ends = [links.indexOf(one), links.indexOf(other)].sort((a, b) => a - b);
    return links.slice(ends[0], ends[1] + 1).filter((link) => isBeside(link, one));
  };
  const unpick = () => all(".picked").forEach((row) => row.classList.remove("picked"));
  const pick = (links) => {
    unpick();
    links.forEach((link) => link.parentElement.classList.add("picked"));
  };

  const textOf = (links) => {
    const lines = links.filter((link) => !link.parentElement.classList.contains("del"));
    return lines.map((link) => link.parentElement.querySelector("code").textContent);
  };
  const suggested = (links) => {
    const lines = textOf(links);
    const ticks = Math.max(2, ...lines.join("").split(/[^`]+/).map((run) => run.length));
    const fence = "`".repeat(ticks + 1);
    return `${fence}suggestion:-${lines.length - 1}+0\n${lines.join("")}${fence}\n`;
  };

  // A copy of the form below a line, or below the heading of a file.
  const open = (name, words, links, after) => {
    const known = document.getElementById(`f-body-${name}`);
    if (known) return known.focus();
    const holder = document.createElement("div");
    holder.className = "said";
    holder.dataset.said = name;
    holder.dataset.new = "";
    holder.append(blank.content.cloneNode(true));
    for (const one of all("[id], [for], [aria-describedby]", holder)) {
      for (const key of ["id", "for", "aria-describedby"]) {
        const value = one.getAttribute(key);
        if (value?.endsWith("-new")) one.setAttribute(key, value.replace(/new$/, name));
      }
    }
    const form = holder.querySelector("form");
    form.elements.comment.value = name;
    form.elements.from.value = links.length > 1 ? nameOf(links[0]) : "";
    form.querySelector("[data-place]").textContent = words;
    const suggest = form.querySelector("[data-suggest]");
    const isGone = links.some((link) => link.parentElement.classList.contains("del"));
    suggest.hidden = links.length === 0 || links.length > 101 || isGone;
    const area = form.elements.body;
    suggest.addEventListener("click", () => {
      area.setRangeText(suggested(links), area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
      area.focus();
    });
    const opener = document.activeElement;
    form.querySelector("[data-cancel]").addEventListener("click", (event) => {
      event.preventDefault();
      holder.remove();
      unpick();
      (links.at(-1) ?? opener)?.focus();
    });
    after.after(holder);
    // Editors that come later are made as those in what is unfolded.
    holder.dispatchEvent(new Event("toggle"));
    area.focus();
  };
  const comment = (link, from) => {
    const links = from && from !== link ? between(from, link) : [link];
    const [first, last] = [links[0], links.at(-1)];
    const words = first === last ? labelOf(last) : `${labelOf(first)} to ${labelOf(last)}`;
    pick(links);
    const row = rowOf(last);
    const said = row.nextElementSibling?.matches(".said") ? row.nextElementSibling : row;
    open(nameOf(last), words, links, said);
  };

  // Where a pointer drags from, what was clicked last, and where keys begin a range.
  let start = null;
  let last = null;
  let anchor = null;
  let isDragged = false;
  const under = (event) => {
    const row = document.elementFromPoint(event.clientX, event.clientY)?.closest(".same, .add, .del");
    if (!row || row.closest(".diff-lines") !== start.closest(".diff-lines")) return null;
    const links = all(".say", row.closest(".pair") ?? row);
    return links.find((link) => isBeside(link, start)) ?? null;
  };
  if (blank) {
    review.addEventListener("dragstart", (event) => event.target.closest?.(".say") && event.preventDefault());
    review.addEventListener("pointerdown", (event) => {
      const link = event.target.closest(".say");
      if (!link || !isPlain(event) || event.pointerType === "touch") return;
      [start, isDragged] = [link, false];
    });
    review.addEventListener("pointermove", (event) => {
      const link = start && under(event);
      if (!link || (link === start && !isDragged)) return;
      isDragged = true;
      pick(between(start, link));
    });
    window.addEventListener("pointerup", (event) => {
      const link = start && isDragged && under(event);
      if (link) comment(link, start);
      if (link) last = link;
      start = null;
      // A click that follows at once belongs to this.
      setTimeout(() => (isDragged = false));
    });
    review.addEventListener("click", (event) => {
      const file = event.target.closest(".say-file");
      if (file && isPlain(event)) {
        event.preventDefault();
        const article = file.closest(".diff-file");
        return open(article.id, "the whole file", [], article.querySelector("header"));
      }
      const link = event.target.closest(".say");
      if (!link || !isPlain(event)) return;
      event.preventDefault();
      if (isDragged) return;
      const isNear = last?.isConnected && last.closest(".diff-lines") === link.closest(".diff-lines");
      comment(link, event.shiftKey && isNear ? last : null);
      last = link;
    });
  }

  // One line of a file is reached by Tab, the others by arrows.
  const currents = new WeakMap();
  const rove = (root) => {
    for (const lines of all(".diff-lines", root)) {
      const links = linksOf(lines);
      const known = currents.get(lines);
      const current = known?.isConnected ? known : links[0];
      for (const link of links) link.tabIndex = link === current ? 0 : -1;
    }
  };
  const move = (link, by, extend) => {
    const lines = link.closest(".diff-lines");
    const links = linksOf(lines).filter((one) => !extend || isBeside(one, link));
    const next = links[links.indexOf(link) + by];
    if (!next) return;
    anchor = extend ? (anchor ?? link) : null;
    if (anchor) pick(between(anchor, next));
    else unpick();
    currents.set(lines, next);
    link.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  review.addEventListener("keydown", (event) => {
    const link = event.target.closest(".say");
    const lines = event.target.matches(".diff-lines") && event.target;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (lines && by === 1 && linksOf(lines).length) {
      event.preventDefault();
      linksOf(lines)[0].focus();
    } else if (link && by) {
      event.preventDefault();
      move(link, by, event.shiftKey);
    } else if (link && event.key === "Enter") {
      event.preventDefault();
      comment(link, anchor);
      anchor = null;
    } else if (event.key === "Escape") {
      event.target.closest("[data-new]")?.querySelector("[data-cancel]").click();
    }
  });
  // Lines that were fetched are commented on as those around them.
  review.addEventListener("lines-shown", (event) => {
    if (!blank) return;
    for (const row of event.detail) {
      const number = [...all("a[href^='#']", row)].at(-1);
      const link = document.createElement("a");
      link.className = "say";
      link.href = `${sayAt}${nameOf(number)}#${nameOf(number)}`;
      link.setAttribute("aria-label", `Comment on ${number.getAttribute("aria-label").toLowerCase()}`);
      number.after(link);
    }
    rove(review);
  });

  // Forms are sent, and what comes of them is put in the place of what was there.
  const replaced = (doc, at, isNew) => {
    const made = doc.querySelector(`[data-said="${CSS.escape(at)}"]`);
    const old = all("[data-said]").find((one) => one.dataset.said === at && !("new" in one.dataset));
    if (made && old) old.replaceWith(made);
    else if (made) {
      const line = document.getElementById(at);
      if (!line) return false;
      if (line.matches(".diff-file")) line.append(made);
      else (line.closest(".pair") ?? line).after(made);
    } else if (isNew) return false;
    else old?.remove();
    return true;
  };
  const freshen = (doc) => {
    const fresh = doc.getElementById("review-bar");
    if (fresh) bar().replaceWith(fresh);
    // What keeps a comment says whether a review has begun.
    const keeps = "button[formaction$='/drafts']";
    const label = doc.getElementById("say-form")?.content.querySelector(keeps)?.textContent;
    if (label) for (const button of [...all(keeps), ...all(keeps, blank.content)]) button.textContent = label;
    for (const item of all(".file-tree [data-file]")) {
      const now = doc.querySelector(`.file-tree [data-file="${item.dataset.file}"]`);
      if (now) item.replaceWith(now);
    }
    for (const points of all("[data-points]")) {
      const now = doc.querySelector(`[data-points="${points.dataset.points}"]`);
      if (now) points.replaceWith(now);
    }
    say(doc.querySelector(".flash")?.textContent.trim() ?? "");
  };
  // What was refused is shown by the page itself, with what was typed.
  const addressOf = (form, button) => button?.getAttribute("formaction") ?? form.getAttribute("action");
  const plainly = (form, button) => {
    form.setAttribute("action", addressOf(form, button));
    if (button?.name) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name: button.name, value: button.value });
      form.append(field);
    }
    form.submit();
  };
  const send = async (form, button) => {
    const holder = form.closest("[data-said]");
    const [at, isNew] = [holder.dataset.said, "new" in holder.dataset];
    const body = new URLSearchParams(new FormData(form, button));
    let answer;
    try {
      answer = await fetch(addressOf(form, button), { method: "POST", body });
    } catch {
      return say("Nothing was sent: the server cannot be reached. Your text is kept.");
    }
    if (!answer.ok) return plainly(form, button);
    const doc = parsed(await answer.text());
    if (isNew) holder.remove();
    if (!replaced(doc, at, isNew)) return location.assign(answer.url);
    unpick();
    freshen(doc);
    rove(review);
    all(`[data-said="${CSS.escape(at)}"] summary, [data-said="${CSS.escape(at)}"] a`).at(0)?.focus({ preventScroll: true });
  };
  review.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    if (form.matches("[data-viewed]")) {
      event.preventDefault();
      return mark(form);
    }
    // What stands behind the files may be on another part.
    const at = form.closest("[data-said]")?.dataset.said;
    if (!at || at === "rest") return;
    event.preventDefault();
    const button = event.submitter;
    form.inert = true;
    send(form, button).finally(() => (form.inert = false));
  });

  // Files that were looked at.
  const mark = async (form) => {
    const button = form.elements.viewed;
    const article = form.closest(".diff-file");
    const body = new URLSearchParams(new FormData(form, button));
    const headers = { Accept: "application/json" };
    const answer = await fetch(addressOf(form), { method: "POST", headers, body }).catch(() => null);
    if (!answer?.ok) return plainly(form, button);
    const told = await answer.json();
    const isViewed = button.value === "true";
    button.value = String(!isViewed);
    button.setAttribute("aria-pressed", String(isViewed));
    article.classList.toggle("is-viewed", isViewed);
    const unfold = article.querySelector("[data-unfold]");
    if (!isViewed && unfold) unfold.click();
    const item = review.querySelector(`.file-tree [data-file="${article.id}"]`);
    item?.classList.toggle("viewed", isViewed);
    bar().querySelector("[data-viewed-count]").textContent = `${told.viewed} of ${told.of} viewed`;
    bar().querySelector("[data-viewed-bar]").value = told.viewed;
  };

  // Files that are folded, and parts that come near, are fetched.
  review.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-unfold]");
    if (!link || !isPlain(event) || event.shiftKey) return;
    event.preventDefault();
    try {
      const article = link.closest(".diff-file");
      const made = (await page(partOf(link.href))).getElementById(article.id);
      article.replaceWith(made);
      rove(review);
      made.querySelector("h3 a").focus({ preventScroll: true });
    } catch {
      location.assign(link.href);
    }
  });
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) more(target);
  }, { rootMargin: "1200px" });
  const more = async (step) => {
    near.unobserve(step);
    const link = step.querySelector("a");
    link.setAttribute("aria-busy", "true");
    try {
      const doc = await page(partOf(link.href));
      for (const before of all("[rel=prev]", doc)) before.closest("p").remove();
      step.replaceWith(...doc.body.children);
      begin(review);
    } catch {
      link.removeAttribute("aria-busy");
    }
  };
  const begin = (root) => {
    rove(root);
    for (const step of all("[data-next]", root)) near.observe(step);
  };

  // The list of files: a field that narrows it, and links to what is here already.
  const filter = review.querySelector("[data-file-filter]");
  if (filter) {
    filter.hidden = false;
    filter.addEventListener("input", () => {
      const wanted = filter.value.trim().toLowerCase();
      for (const item of all(".file-tree [data-file]")) {
        item.hidden = !item.querySelector("a").title.toLowerCase().includes(wanted);
      }
      for (const folder of all(".file-tree li:has(> details)").reverse()) {
        folder.hidden = !all("[data-file]", folder).some((item) => !item.hidden);
      }
    });
  }
  const tree = review.querySelector(".file-tree > details");
  if (tree && matchMedia("(max-width: 61.99rem)").matches) tree.open = false;
  review.addEventListener("click", (event) => {
    const link = event.target.closest(".file-tree a, [data-step]");
    const named = link && document.getElementById(link.hash.slice(1));
    if (!link || !isPlain(event) || event.shiftKey) return;
    if (link.dataset.step) threads(Number(link.dataset.step));
    else if (named) reach(named);
    else return;
    event.preventDefault();
  });

  const reach = (element) => {
    const folded = element.closest("details.resolved:not([open])") ?? element.querySelector("details.resolved:not([open])");
    if (folded) folded.open = true;
    history.replaceState(null, "", `#${element.id}`);
    element.scrollIntoView({ block: element.matches(".diff-file") ? "start" : "center" });
    const target = element.querySelector("h3 a, a.author, .when") ?? element;
    target.focus({ preventScroll: true });
  };
  // Files and threads, one by one: the next is that behind what has the focus, else behind
  // what is in sight.
  const step = (items, by) => {
    const focused = document.activeElement;
    const line = focused && review.contains(focused) ? focused.getBoundingClientRect().top : 80;
    const tops = items.map((item) => item.getBoundingClientRect().top);
    const at = items.findIndex((item) => item.contains(focused));
    if (at >= 0) return items[at + by];
    const behind = tops.findIndex((top) => top > line + 1);
    const next = behind < 0 ? items.length : behind;
    return items[by > 0 ? next : next - 1];
  };
  const threads = (by) => {
    const { threads: ids, threadAt } = bar().dataset;
    const known = ids.split(" ").filter(Boolean);
    if (!known.length) return say("No open threads.");
    const here = document.activeElement?.closest(".thread")?.id.replace("discussion_", "");
    const asked = here ?? location.hash.replace("#discussion_", "");
    const at = known.indexOf(asked);
    const next = known[(at < 0 && by < 0 ? known.length - 1 : at + by + known.length) % known.length];
    const element = document.getElementById(`discussion_${next}`);
    if (element) reach(element);
    else location.assign(`${threadAt}${next}#discussion_${next}`);
  };
  const keys = {
    j: () => step(all(".diff-file"), 1),
    k: () => step(all(".diff-file"), -1),
    n: () => threads(1),
    p: () => threads(-1),
    v: () => {
      const file = document.activeElement?.closest(".diff-file") ?? step(all(".diff-file"), -1);
      file?.querySelector("[data-viewed]")?.requestSubmit(file.querySelector("[data-viewed] button"));
    },
    f: () => tree && (tree.open = !tree.open),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, [contenteditable], dialog")) return;
    const work = keys[event.key];
    if (!work) return;
    event.preventDefault();
    event.stopPropagation();
    const found = work();
    if (found?.matches?.(".diff-file")) reach(found);
  }, true);

  // An address may name a line of a file that another part has.
  const seek = () => {
    const file = location.hash.match(/^#([0-9a-f]{40})(?:_\d+_\d+)?$/)?.[1];
    const item = file && review.querySelector(`.file-tree [data-file="${file}"] a`);
    if (!item || document.getElementById(file)) return;
    const url = new URL(location.href);
    url.searchParams.set("file", file);
    location.replace(url);
  };
  window.addEventListener("hashchange", seek);
  seek();
  begin(review);
})();
