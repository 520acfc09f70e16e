// Copy buttons are hidden until they can work, and links to parts of a page
// copy their address. The newer way needs HTTPS or this machine; the older one
// serves a plain address of the local network.
(() => {
  const written = async (text) => {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  const copies = (control, text, failed) => async (event) => {
    event.preventDefault();
    const label = control.querySelector("span");
    const before = label.textContent;
    const done = await written(text()).catch(() => false);
    label.textContent = done ? "Copied" : failed;
    setTimeout(() => (label.textContent = before), 2000);
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const field = document.getElementById(button.dataset.copy);
    const text = () => field.value ?? field.textContent;
    button.hidden = false;
    button.addEventListener("click", copies(button, text, "Select and copy"));
  }
  for (const link of document.querySelectorAll("a[data-copy-link]")) {
    link.querySelector("span").textContent = "Copy link";
    link.addEventListener("click", copies(link, () => link.href, "Copy the address"));
  }
})();
