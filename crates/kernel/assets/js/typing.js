// Changes of a text area, each a step that the browser can undo.
const typing = (() => {
  const replace = (area, from, to, text, start, end = start) => {
    area.focus();
    area.setSelectionRange(from, to);
    // Nothing newer keeps the steps of undo.
    if (!document.execCommand(text ? "insertText" : "delete", false, text)) {
      area.setRangeText(text, from, to, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    area.setSelectionRange(start, end);
  };

  const insert = (area, text) => {
    const { selectionStart: from, selectionEnd: to } = area;
    replace(area, from, to, text, from + text.length);
  };

  const selected = (area) => area.value.slice(area.selectionStart, area.selectionEnd);

  // Puts signs around the selection, or takes them away.
  const wrap = (area, sign, sample) => {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const [inner, size] = [value.slice(from, to), sign.length];
    if (value.slice(from - size, from) === sign && value.slice(to, to + size) === sign) {
      return replace(area, from - size, to + size, inner, from - size, to - size);
    }
    const text = inner || sample;
    return replace(area, from, to, sign + text + sign, from + size, from + size + text.length);
  };

  // Puts a sign before each line of the selection, or takes it away.
  const lines = (area, sign) => {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const start = value.lastIndexOf("\n", from - 1) + 1;
    const last = value.indexOf("\n", to);
    const end = last < 0 ? value.length : last;
    const rows = value.slice(start, end).split("\n");
    const isMarked = rows.every((row, at) => row.startsWith(sign(at)));
    const text = rows
      .map((row, at) => (isMarked ? row.slice(sign(at).length) : sign(at) + row))
      .join("\n");
    const after = start + text.length;
    replace(area, start, end, text, rows.length > 1 ? start : after, after);
  };

  const code = (area) => {
    const text = selected(area);
    if (!text.includes("\n")) return wrap(area, "`", "code");
    const from = area.selectionStart;
    return replace(area, from, area.selectionEnd, `\`\`\`\n${text}\n\`\`\``, from + 3);
  };

  const link = (area) => {
    const [from, text] = [area.selectionStart, selected(area)];
    const isAddress = /^https?:\/\/\S+$/.test(text);
    const [label, address] = isAddress ? ["text", text] : [text || "text", "https://"];
    const start = isAddress ? from + 1 : from + label.length + 3;
    const end = start + (isAddress ? label : address).length;
    replace(area, from, area.selectionEnd, `[${label}](${address})`, start, end);
  };

  const table = (area) => {
    const at = area.selectionEnd;
    const gap = at === 0 || area.value.slice(0, at).endsWith("\n\n") ? "" : "\n\n";
    const text = `${gap}| Column | Column |\n| --- | --- |\n| Text | Text |\n`;
    replace(area, at, at, text, at + gap.length + 2, at + gap.length + 8);
  };

  // Goes on with a list in the next line, or ends it in an empty one.
  const next = (area) => {
    const at = area.selectionStart;
    if (at !== area.selectionEnd) return false;
    const start = area.value.lastIndexOf("\n", at - 1) + 1;
    const line = area.value.slice(start, at);
    const found = /^(\s*)([-*+]|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/.exec(line);
    if (!found) return false;
    const [whole, indent, mark, number, stop, space, task] = found;
    if (whole.length === line.length) {
      replace(area, start, at, "", start);
      return true;
    }
    const sign = number ? `${Number(number) + 1}${stop}` : mark;
    insert(area, `\n${indent}${sign}${space}${task ? "[ ] " : ""}`);
    return true;
  };

  // Writes in place of a text, wherever the reader is meanwhile.
  const exchange = (area, old, text) => {
    const at = area.value.indexOf(old);
    if (at >= 0) area.setRangeText(text, at, at + old.length, "preserve");
    else area.setRangeText(text, area.selectionEnd, area.selectionEnd, "preserve");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };

  return { replace, insert, wrap, lines, code, link, table, next, exchange };
})();
