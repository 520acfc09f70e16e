// Names in a text, after their signs: people, issues, epics, labels, milestones,
// emoji.
const completion = (area, host, space) => {
  const KINDS = {
    "@": "mentions",
    "#": "issues",
    "&": "epics",
    "~": "labels",
    "%": "milestones",
    ":": "emoji",
  };
  // A sign at the beginning of a word, and what of the name is typed; titles
  // of several words stand between quotes.
  const WORD = /(?:^|[\s([{>*_,;|])(?:([@#&])([\w./-]*)|([~%])([^\s"~%]*)|([~%])"([^"\n]*)|(:)([a-z+-][a-z0-9_+-]+))$/;
  const FENCE = /^\s*(?:```|~~~)/gm;
  let from = 0;

  const wanted = () => {
    const at = area.selectionStart;
    const before = area.value.slice(0, at);
    const found = WORD.exec(before.slice(-120));
    if (!found || at !== area.selectionEnd) return null;
    if ((before.match(FENCE) ?? []).length % 2) return null;
    const [sign, typed] = found.slice(1).filter((part) => part !== undefined);
    const quote = found[5] ? 1 : 0;
    return { sign, typed, from: at - typed.length - quote - 1 };
  };

  const written = (sign, value) => {
    if (sign === ":") return `:${value}:`;
    if ("#&".includes(sign) && value.includes(sign)) return value;
    const isWord = /^[\p{L}\p{N}_.:/+-]*[\p{L}\p{N}_+]$/u.test(value);
    return "~%".includes(sign) && !isWord ? `${sign}"${value}"` : sign + value;
  };

  const options = suggest.options(area, host, (item) => {
    const [text, at] = [written(area.value[from], item.value), area.selectionStart];
    const gap = /\s/.test(area.value[at] ?? "") ? "" : " ";
    typing.replace(area, from, at, text + gap, from + text.length + 1);
  });

  // Below the character at a place: a copy of the area tells where it stands.
  const place = (at) => {
    const [style, copy] = [getComputedStyle(area), suggest.element("div", { class: "mirror" })];
    for (const name of ["font", "letterSpacing", "padding", "border", "width"]) {
      copy.style[name] = style[name];
    }
    const mark = suggest.element("span", {}, "\u200b");
    copy.append(area.value.slice(0, at), mark);
    area.after(copy);
    const [left, top] = [mark.offsetLeft, mark.offsetTop + mark.offsetHeight - area.scrollTop];
    copy.remove();
    const { list } = options;
    const room = Math.max(0, host.clientWidth - list.offsetWidth);
    list.style.left = `${Math.min(left, room)}px`;
    list.style.top = `${area.offsetTop + Math.min(Math.max(top, 0), area.clientHeight) + 4}px`;
  };

  const look = suggest.calmly(async () => {
    const word = wanted();
    if (!word) return options.hide();
    const found = await suggest.names(KINDS[word.sign], word.typed, space);
    const now = wanted();
    if (!found || now?.typed !== word.typed || now.from !== word.from) return undefined;
    if (document.activeElement !== area) return undefined;
    from = word.from;
    options.show(found, 0);
    return found.length ? place(from) : undefined;
  });

  area.addEventListener("keydown", options.key);
  area.addEventListener("input", () => (wanted() ? look() : options.hide()));
  area.addEventListener("click", options.hide);
  area.addEventListener("keyup", (event) => {
    if (/^(Arrow(Left|Right)|Home|End)$/.test(event.key)) options.hide();
  });
};
