// Text areas for Markdown: Write and Preview, a toolbar with keys, lists that
// go on, and what completion, uploads and drafts add.
(() => {
  const { element, picture } = suggest;
  const every = (sign) => (area) => typing.lines(area, () => sign);
  const TOOLS = [
    ["bold", "Bold", (area) => typing.wrap(area, "**", "text"), "b"],
    ["italic", "Italic", (area) => typing.wrap(area, "_", "text"), "i"],
    ["quote", "Quote", every("> ")],
    ["code", "Code", typing.code],
    ["link", "Link", typing.link, "k"],
    ["list", "Bulleted list", every("- ")],
    ["numbers", "Numbered list", (area) => typing.lines(area, (at) => `${at + 1}. `)],
    ["tasks", "Task list", every("- [ ] ")],
    ["table", "Table", typing.table],
  ];

  // Left and right go through the buttons of a row, which Tab reaches once.
  const roving = (row) => {
    const buttons = [...row.children];
    const focus = (index) => {
      buttons.forEach((button, at) => (button.tabIndex = at === index ? 0 : -1));
    };
    focus(0);
    row.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const index = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
      focus(index);
      buttons[index].focus();
    });
    return focus;
  };

  const toolbar = (area, chooser) => {
    const tool = ([name, label, work, key]) => {
      const title = key ? `${label} (Ctrl+${key.toUpperCase()})` : label;
      const button = element("button", { type: "button", class: "icon-button", "aria-label": label, title }, picture(name));
      if (key) button.setAttribute("aria-keyshortcuts", `Control+${key.toUpperCase()}`);
      button.addEventListener("click", () => work(area));
      return button;
    };
    const tools = chooser ? [...TOOLS, ["attach", "Attach files", () => chooser.click()]] : TOOLS;
    const bar = element("div", { class: "tools", role: "toolbar", "aria-label": "Formatting", "aria-controls": area.id }, ...tools.map(tool));
    roving(bar);
    return bar;
  };

  const rendered = async (area, space) => {
    const body = new URLSearchParams({
      text: area.value,
      authenticity_token: area.form.elements.authenticity_token?.value ?? "",
    });
    const headers = { Accept: "application/json" };
    const answer = await fetch(`${space}/-/preview_markdown`, { method: "POST", body, headers });
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()).body;
  };

  // The two tabs, and what the second shows.
  const tabs = (area, write, bar, space) => {
    const shown = element("div", { id: `${area.id}-preview`, class: "preview prose", role: "tabpanel", tabindex: "0" });
    const tab = (label, panel) => {
      const one = element("button", { type: "button", role: "tab", id: `${panel.id}-tab`, "aria-controls": panel.id }, label);
      panel.setAttribute("aria-labelledby", one.id);
      return one;
    };
    write.id = `${area.id}-write`;
    write.setAttribute("role", "tabpanel");
    const both = [tab("Write", write), tab("Preview", shown)];
    const row = element("div", { class: "modes", role: "tablist", "aria-label": "Write or preview" }, ...both);
    const focus = roving(row);
    const turn = (index) => {
      focus(index);
      both.forEach((one, at) => one.setAttribute("aria-selected", String(at === index)));
      [write.hidden, bar.hidden, shown.hidden] = [index === 1, index === 1, index === 0];
    };
    both[0].addEventListener("click", () => {
      turn(0);
      area.focus();
    });
    both[1].addEventListener("click", async () => {
      shown.textContent = area.value.trim() ? "Rendering…" : "There is nothing to preview.";
      turn(1);
      if (!area.value.trim()) return;
      const failed = () => (shown.textContent = "The preview could not be loaded. Your text is kept.");
      // The server has made it safe, as it does for every page.
      await rendered(area, space).then((html) => (shown.innerHTML = html), failed);
    });
    // What is missing or wrong is said at the area, so it has to be seen.
    area.addEventListener("invalid", () => turn(0));
    turn(0);
    return [row, shown];
  };

  const keys = (area) => (event) => {
    if (event.isComposing || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const tool = isCommand && TOOLS.find(([, , , key]) => key === event.key.toLowerCase());
    if (isCommand && event.key === "Enter") area.form?.requestSubmit();
    else if (tool && !event.shiftKey) tool[2](area);
    else if (event.key !== "Enter" || isCommand || event.shiftKey || !typing.next(area)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const start = (host) => {
    const { space } = host.dataset;
    host.removeAttribute("data-editor");
    const area = host.querySelector("textarea");
    const said = element("p", { class: "said hint", role: "status" });
    const say = (text, isBad = false) => {
      said.textContent = text;
      said.classList.toggle("error", isBad);
    };
    const write = area.parentElement;
    completion(area, write, space);
    const chooser = space && uploads(area, space, say);
    const tools = toolbar(area, chooser);
    const [modes, shown] = space ? tabs(area, write, tools, space) : [];
    const bar = element("div", { class: "editor-bar" });
    bar.append(...[modes, tools].filter(Boolean));
    write.before(bar);
    write.after(...[shown, chooser, said].filter(Boolean));
    area.addEventListener("keydown", keys(area));
    drafts.keep(area, host);
  };

  // Those in what is folded wait until it is opened.
  const startAll = (within) => {
    for (const host of within.querySelectorAll("[data-editor]")) {
      if (!host.closest("details:not([open])")) start(host);
    }
  };
  startAll(document);
  document.addEventListener("toggle", (event) => startAll(event.target), true);
})();
