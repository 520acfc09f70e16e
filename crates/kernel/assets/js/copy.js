// Copy buttons are hidden until they can work. The newer way needs HTTPS or
// this machine; the older one serves a plain address of the local network.
(() => {
  const copied = async (field) => {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      return true;
    }
    const range = document.createRange();
    range.selectNodeContents(field);
    getSelection().removeAllRanges();
    if (field.select) field.select();
    else getSelection().addRange(range);
    return document.execCommand("copy");
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const label = button.querySelector("span");
      const before = label.textContent;
      const field = document.getElementById(button.dataset.copy);
      const done = await copied(field).catch(() => false);
      label.textContent = done ? "Copied" : "Select and copy";
      setTimeout(() => (label.textContent = before), 2000);
    });
  }
})();
