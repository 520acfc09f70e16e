// Cards of a board go to other columns and places: dragged by a pointer, or by keys
// while one has the focus. The server says whether it holds; if not, the card goes
// back and the reason is said.
(() => {
  const board = document.querySelector("[data-board]");
  if (!board) return;
  const status = document.querySelector("[data-board-said]");
  const alarm = document.querySelector(".board-said");
  const keys = document.getElementById("board-keys");
  if (keys) keys.hidden = false;
  const columns = () => [...board.querySelectorAll("[data-column]")];
  const listOf = (column) => column.querySelector(".board-cards");
  const columnOf = (card) => card.closest("[data-column]");
  const cardsOf = (column) => [...listOf(column).children].filter((one) => !one.matches(".ghost"));
  const isCard = (node) => node?.matches?.("[data-card]");
  const say = (text) => (status.textContent = text);
  const nearCard = (node) => (isCard(node) ? node.dataset.card : "");

  const prepare = (root) => {
    for (const card of root.querySelectorAll("[data-movable]")) {
      card.tabIndex = 0;
      card.setAttribute("role", "group");
      card.setAttribute("aria-roledescription", "card");
      card.setAttribute("aria-label", card.dataset.name);
      card.setAttribute("aria-describedby", "board-keys");
      card.parentElement.setAttribute("role", "group");
    }
  };
  const emptiness = () => {
    for (const column of columns()) {
      column.querySelector(".board-empty").hidden = cardsOf(column).length > 0;
    }
  };

  // Where a card stands: its column, and the card after it.
  const spot = (card) => ({ column: columnOf(card), next: card.nextElementSibling });
  const put = (card, { column, next }) => {
    listOf(column).insertBefore(card, next?.parentElement === listOf(column) ? next : null);
    emptiness();
  };
  const place = (card) => {
    const all = cardsOf(columnOf(card));
    return `${all.indexOf(card) + 1} of ${all.length} in ${columnOf(card).dataset.title}`;
  };

  const refused = (card, before, text) => {
    put(card, before);
    alarm.textContent = text;
    alarm.hidden = false;
    say("");
  };
  const told = ({ key, number, about, weight }) => {
    const column = columns().find((one) => one.dataset.column === key);
    if (!column) return;
    column.querySelector("[data-about]").textContent = about;
    column.querySelector(".column-count").title = about;
    column.querySelector("[data-number]").textContent = number;
    column.querySelector("[data-weight]").hidden = weight === 0;
    column.querySelector("[data-weight] > span").textContent = weight;
  };
  // The form without a script names the column that the card is in.
  const follow = (card, key) => {
    const form = card.querySelector(".card-move");
    form.elements.from.value = key;
    form.elements.to.value = key;
  };

  const send = async (card, before) => {
    const after = spot(card);
    if (after.column === before.column && after.next === before.next) return say("");
    alarm.hidden = true;
    const body = new URLSearchParams({
      authenticity_token: board.dataset.token,
      board_id: board.dataset.boardId,
      issue_id: card.dataset.card,
      from: before.column.dataset.column,
      to: after.column.dataset.column,
    });
    const [below, above] = [nearCard(card.previousElementSibling), nearCard(after.next)];
    if (below) body.set("below", below);
    if (above) body.set("above", above);
    card.classList.add("waiting");
    card.removeAttribute("data-movable");
    try {
      const answer = await fetch(board.dataset.board, {
        method: "POST",
        headers: { Accept: "application/json" },
        body,
      });
      const isJson = answer.headers.get("Content-Type")?.includes("json");
      const moved = isJson ? await answer.json() : null;
      if (answer.ok && moved) {
        moved.columns.forEach(told);
        follow(card, after.column.dataset.column);
        // An issue with two of the labels may have stood there already.
        for (const one of cardsOf(after.column)) {
          if (one !== card && nearCard(one) === nearCard(card)) one.remove();
        }
        say(moved.said);
      } else {
        refused(card, before, moved?.said ?? "The card was not moved. Reload the page and try again.");
      }
    } catch {
      refused(card, before, "The card was not moved: the server cannot be reached.");
    }
    card.classList.remove("waiting");
    card.setAttribute("data-movable", "");
  };

  // By keys. A lifted card keeps the focus wherever it goes.
  let lifted = null;
  const lift = (card) => {
    lifted = { card, before: spot(card) };
    card.classList.add("lifted");
    say(`Lifted ${card.dataset.name}, ${place(card)}.`);
  };
  const drop = (isKept) => {
    const { card, before } = lifted;
    lifted = null;
    card.classList.remove("lifted");
    if (isKept) return send(card, before);
    put(card, before);
    card.focus();
    say(`Put back ${card.dataset.name}, ${place(card)}.`);
  };
  const shift = (card, key) => {
    const column = columnOf(card);
    if (key === "ArrowUp" && card.previousElementSibling) {
      put(card, { column, next: card.previousElementSibling });
    } else if (key === "ArrowDown" && card.nextElementSibling) {
      put(card, { column, next: card.nextElementSibling.nextElementSibling });
    } else if (key === "ArrowLeft" || key === "ArrowRight") {
      const all = columns();
      const beside = all[all.indexOf(column) + (key === "ArrowLeft" ? -1 : 1)];
      if (beside) put(card, { column: beside, next: cardsOf(beside)[0] ?? null });
    }
    card.focus();
    card.scrollIntoView({ block: "nearest", inline: "nearest" });
    say(`${place(card)}.`);
  };
  board.addEventListener("keydown", (event) => {
    const card = event.target;
    if (!isCard(card) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && (lifted || card.hasAttribute("data-movable"))) {
      event.preventDefault();
      if (lifted) drop(true);
      else lift(card);
    } else if (lifted && event.key === "Escape") {
      event.preventDefault();
      drop(false);
    } else if (lifted && event.key.startsWith("Arrow")) {
      event.preventDefault();
      shift(lifted.card, event.key);
    }
  });
  board.addEventListener("focusout", (event) => {
    // Moving a node takes its focus for a moment.
    setTimeout(() => {
      if (lifted && event.target === lifted.card && document.activeElement !== lifted.card) drop(false);
    });
  });

  // By a pointer: a mouse once it has gone some way, a finger once it has stayed.
  const FAR = 6;
  const LONG = 300;
  const EDGE = 48;
  let drag = null;
  const begin = () => {
    const { card, x, y } = drag;
    const box = card.getBoundingClientRect();
    const ghost = card.cloneNode(true);
    ghost.querySelectorAll("[id]").forEach((one) => one.removeAttribute("id"));
    ghost.removeAttribute("tabindex");
    ghost.setAttribute("aria-hidden", "true");
    ghost.inert = true;
    ghost.classList.add("ghost");
    ghost.style.width = `${box.width}px`;
    document.body.append(ghost);
    Object.assign(drag, { ghost, before: spot(card), left: x - box.left, top: y - box.top });
    card.classList.add("slot");
    board.classList.add("dragging");
    getSelection()?.removeAllRanges();
    hover(x, y);
    roll();
  };
  const hover = (x, y) => {
    const { card, ghost, left, top } = drag;
    Object.assign(drag, { x, y });
    ghost.style.transform = `translate(${x - left}px, ${y - top}px)`;
    const column = columns().find((one) => {
      const box = one.getBoundingClientRect();
      return x >= box.left && x <= box.right;
    });
    if (!column) return;
    const next = cardsOf(column).find((one) => {
      const box = one.getBoundingClientRect();
      return one !== card && y < box.top + box.height / 2;
    });
    const to = next ?? null;
    if (columnOf(card) !== column || (card.nextElementSibling !== to && to !== card)) put(card, { column, next: to });
  };
  // Near an edge the board or the column scrolls on.
  const roll = () => {
    if (!drag?.ghost) return;
    const speed = (at, from, until) => (at < from + EDGE ? -12 : at > until - EDGE ? 12 : 0);
    const box = board.getBoundingClientRect();
    const list = listOf(columnOf(drag.card));
    const column = list.getBoundingClientRect();
    const [across, down] = [speed(drag.x, box.left, box.right), speed(drag.y, column.top, column.bottom)];
    board.scrollLeft += across;
    list.scrollTop += down;
    if (across || down) hover(drag.x, drag.y);
    drag.frame = requestAnimationFrame(roll);
  };
  const end = (isKept) => {
    if (!drag) return;
    const { card, ghost, before, timer, frame } = drag;
    drag = null;
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    if (!ghost) return;
    ghost.remove();
    card.classList.remove("slot");
    board.classList.remove("dragging");
    if (isKept) send(card, before);
    else put(card, before);
  };
  board.addEventListener("pointerdown", (event) => {
    const card = event.target.closest("[data-movable]");
    if (!card || event.button !== 0 || drag || lifted) return;
    if (event.target.closest("summary, form, button, input, select, .card-people a")) return;
    drag = { card, id: event.pointerId, isTouch: event.pointerType !== "mouse", x: event.clientX, y: event.clientY };
    if (drag.isTouch) drag.timer = setTimeout(begin, LONG);
  });
  // Links and pictures have a dragging of their own.
  board.addEventListener("dragstart", (event) => event.preventDefault());
  document.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const [x, y] = [event.clientX, event.clientY];
    if (drag.ghost) return hover(x, y);
    if (Math.hypot(x - drag.x, y - drag.y) < FAR) return;
    if (drag.isTouch) end(false);
    else begin();
  });
  document.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    // The link under the card is not what was meant.
    const stop = (click) => {
      click.preventDefault();
      click.stopPropagation();
    };
    if (drag.ghost) {
      document.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => document.removeEventListener("click", stop, { capture: true }), 50);
    }
    end(true);
  });
  document.addEventListener("pointercancel", () => end(false));
  document.addEventListener("contextmenu", (event) => drag?.ghost && event.preventDefault());
  document.addEventListener("keydown", (event) => event.key === "Escape" && end(false));
  // A finger that drags a card does not scroll the page.
  document.addEventListener("touchmove", (event) => drag?.ghost && event.preventDefault(), { passive: false });

  // More cards come into their column without the others being lost.
  board.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-more]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const column = columnOf(link);
    try {
      const answer = await fetch(link.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector(`[data-column="${column.dataset.column}"]`);
      const known = new Set([...board.querySelectorAll("[data-card]")].filter((one) => columnOf(one) === column).map(nearCard));
      const first = [...listOf(fresh).children].find((one) => !known.has(nearCard(one)));
      listOf(column).replaceChildren(...listOf(fresh).children);
      const more = fresh.querySelector(".board-more");
      if (more) link.parentElement.replaceWith(more);
      else link.parentElement.remove();
      prepare(column);
      (first?.matches("[data-movable]") ? first : first?.querySelector("a"))?.focus();
      say(column.querySelector("[data-about]").textContent);
    } catch {
      location.href = link.href;
    }
  });

  prepare(board);
})();
