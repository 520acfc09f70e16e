// Fields for names: suggestions while typing, and chips where several are sent.
(() => {
  const { element, picture, sign } = suggest;

  // Keeps what is chosen as chips before the field, and sends it with commas
  // between, together with what is typed: the field itself sends nothing.
  const chips = (field, kind, box, said) => {
    const sent = element("input", { type: "hidden", name: field.name });
    const row = element("ul", { class: "chips", "aria-label": "Chosen" });
    const { required } = field;
    let chosen = [];
    field.removeAttribute("name");
    field.before(box);
    box.append(row, field, sent);

    const sync = () => {
      const values = [...chosen.map(({ value }) => value), field.value.trim()];
      sent.value = values.filter(Boolean).join(", ");
      field.required = required && !chosen.length;
      row.hidden = !chosen.length;
    };
    const remove = (value) => {
      chosen = chosen.filter((one) => one.value !== value);
      draw();
      said.textContent = `${value} removed`;
      field.focus();
    };
    const chip = (item) => {
      const close = element("button", { type: "button", "aria-label": `Remove ${item.value}` }, picture("close"));
      close.addEventListener("click", () => remove(item.value));
      return element("li", { class: "badge" }, ...sign(item), item.value, close);
    };
    const draw = () => {
      row.replaceChildren(...chosen.map(chip));
      sync();
    };
    const has = (value) => chosen.some((one) => one.value === value);
    const add = (item) => {
      if (item.value && !has(item.value)) chosen.push(item);
      draw();
    };
    // Takes what stands before commas out of the field.
    const split = () => {
      const parts = field.value.split(",").map((part) => part.trim());
      field.value = parts.pop();
      parts.forEach((value) => add({ value }));
      sync();
    };
    // No user name holds a blank, so people may stand with blanks between.
    const before = field.value.trim().split(kind === "people" ? /[\s,]+/ : /\s*,\s*/);
    field.value = "";
    before.forEach((value) => add({ value }));
    return { add, has, sync, split, removeLast: () => chosen.length && remove(chosen.at(-1).value) };
  };

  for (const field of document.querySelectorAll("input[data-pick]")) {
    const { pick: kind, space, many } = field.dataset;
    const box = element("div", { class: "picker" });
    const said = element("span", { class: "hush", role: "status" });
    const hasFocus = document.activeElement === field;
    const several = many === undefined ? null : chips(field, kind, box, said);
    if (!several) {
      field.before(box);
      box.append(field);
    }
    const take = (item) => {
      field.value = several ? "" : item.value;
      several?.add(item);
      said.textContent = `${item.value} chosen`;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    };
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-expanded", "false");
    const options = suggest.options(field, box, take);
    box.append(said);
    // It moved into the box.
    if (hasFocus) field.focus();

    const look = suggest.calmly(async () => {
      const text = field.value;
      const found = await suggest.names(kind, text.replace(/^[@~%#&]/, ""), space);
      if (!found || field.value !== text || document.activeElement !== field) return;
      options.show(found.filter(({ value }) => !several?.has(value)), -1);
    });
    field.addEventListener("input", () => {
      if (field.value.includes(",")) several?.split();
      several?.sync();
      look();
    });
    field.addEventListener("click", look);
    field.addEventListener("keydown", (event) => {
      if (event.isComposing || options.key(event)) return;
      if (event.key === "ArrowDown" && !options.isOpen()) {
        event.preventDefault();
        look();
      } else if (several && event.key === "Enter" && field.value.trim()) {
        event.preventDefault();
        options.hide();
        take({ value: field.value.trim() });
      } else if (event.key === "Backspace" && !field.value) {
        several?.removeLast();
      }
    });
  }
})();
