// Names for what is being typed, and the list that offers them below a field.
// Completion in editors and pickers share both.
const suggest = (() => {
  const answers = new Map();
  let asked;

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  const drawn = (box, inner) => {
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of [["viewBox", box], ["aria-hidden", "true"], ["focusable", "false"]]) {
      picture.setAttribute(name, value);
    }
    picture.innerHTML = inner;
    return picture;
  };

  const picture = (name) => {
    const made = drawn("0 0 16 16", `<path d="${pictures[name]}"/>`);
    made.classList.add("icon");
    return made;
  };

  // What stands before a name: a label's colour, a person's letters.
  const sign = ({ color, letters }) => {
    if (/^#[0-9a-f]{6}$/i.test(color ?? "")) {
      const swatch = drawn("0 0 8 8", `<rect width="8" height="8" rx="2" fill="${color}"/>`);
      swatch.classList.add("swatch");
      return [swatch];
    }
    return letters ? [element("span", { class: "avatar", "aria-hidden": "true" }, letters)] : [];
  };

  // The names of a kind for a text, in a project or group by its address;
  // nothing where another question came between or the server refused.
  const names = async (kind, text, space) => {
    const query = new URLSearchParams({ kind, q: text });
    if (space?.startsWith("/groups/")) query.set("group", space.slice(8));
    else if (space) query.set("project", space.slice(1));
    const address = `/-/suggest?${query}`;
    asked?.abort();
    asked = new AbortController();
    try {
      if (!answers.has(address)) {
        const answer = await fetch(address, { signal: asked.signal });
        if (answers.size > 200) answers.clear();
        if (answer.ok) answers.set(address, await answer.json());
      }
    } catch {
      return undefined;
    }
    return answers.get(address);
  };

  // Runs the last of several calls, once there was none for a moment.
  const calmly = (work) => {
    let timer;
    return (...given) => {
      clearTimeout(timer);
      timer = setTimeout(() => work(...given), 120);
    };
  };

  // A list of options for a field, which keeps the focus.
  const options = (field, host, choose) => {
    const list = element("ul", { id: `${field.id}-names`, class: "names", role: "listbox", "aria-label": "Suggestions" });
    const said = element("span", { class: "hush", role: "status" });
    let [items, marked] = [[], -1];
    list.hidden = true;
    host.append(list, said);
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-haspopup", "listbox");
    field.setAttribute("aria-controls", list.id);

    const mark = (index) => {
      list.children[marked]?.setAttribute("aria-selected", "false");
      marked = index;
      const option = list.children[index];
      option?.setAttribute("aria-selected", "true");
      option?.scrollIntoView({ block: "nearest" });
      if (option) field.setAttribute("aria-activedescendant", option.id);
      else field.removeAttribute("aria-activedescendant");
    };
    const opened = (open) => {
      list.hidden = !open;
      if (field.getAttribute("role") === "combobox") field.setAttribute("aria-expanded", String(open));
    };
    const hide = () => {
      mark(-1);
      opened(false);
      said.textContent = "";
    };
    const take = (index) => {
      const item = items[index];
      hide();
      choose(item);
    };
    const show = (found, first) => {
      items = found;
      marked = -1;
      list.replaceChildren(
        ...found.map((item, index) => {
          const detail = element("span", { class: "muted" }, item.detail);
          const option = element("li", { id: `${list.id}-${index}`, role: "option", "aria-selected": "false" });
          option.append(...sign(item), element("span", {}, item.label), detail);
          option.addEventListener("mousedown", (event) => event.preventDefault());
          option.addEventListener("click", () => take(index));
          return option;
        }),
      );
      if (!found.length) return hide();
      opened(true);
      // Below a narrow field at the side it would stand beyond the screen.
      list.style.left = "0";
      const beyond = list.getBoundingClientRect().right + 8 - document.documentElement.clientWidth;
      if (beyond > 0) list.style.left = `${-beyond}px`;
      said.textContent = found.length === 1 ? "1 suggestion" : `${found.length} suggestions`;
      mark(first);
    };
    // Whether a key was for the list.
    const key = (event) => {
      if (list.hidden || event.isComposing) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) mark((marked + step + items.length + (marked < 0 && step < 0 ? 1 : 0)) % items.length);
      else if (event.key === "Escape") hide();
      else if ((event.key === "Enter" || event.key === "Tab") && marked >= 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) take(marked);
      else return false;
      event.preventDefault();
      event.stopImmediatePropagation();
      return true;
    };
    field.addEventListener("blur", hide);
    return { list, show, hide, key, isOpen: () => !list.hidden };
  };

  return { element, picture, sign, names, calmly, options };
})();
