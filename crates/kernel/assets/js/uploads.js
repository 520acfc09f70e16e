// Files of a text: pasted, dropped or chosen. Each has a place in the text
// until its link comes.
const uploads = (area, space, say) => {
  const MOST = 10;
  const REASONS = {
    0: "there is no connection to the server",
    401: "you are signed out",
    403: "you may not add files here",
    413: "it is too large",
  };
  let [running, number] = [0, 0];

  const reason = ({ status, response }) => {
    const { message, error } = response ?? {};
    if (typeof (message ?? error) === "string") return message ?? error;
    if (message) return Object.values(message).flat().join(", ");
    return REASONS[status] ?? "the server refused it";
  };

  const send = (file) => {
    const name = (file.name || "file").replace(/[[\]()\n]/g, " ").slice(0, 100);
    const holder = `[Uploading ${name}, ${(number += 1)}…]()`;
    const { value, selectionStart: at } = area;
    typing.insert(area, `${at && value[at - 1] !== "\n" ? "\n" : ""}${holder}\n`);
    const body = new FormData();
    // The token first: the server reads it before it takes the file.
    body.append("authenticity_token", area.form.elements.authenticity_token?.value ?? "");
    body.append("file", file, file.name || "file");
    const request = new XMLHttpRequest();
    request.open("POST", `${space}/-/uploads`);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      if (total) say(`Uploading ${name}: ${Math.floor((100 * loaded) / total)} %`);
    };
    request.onloadend = () => {
      running -= 1;
      const link = request.status < 400 && request.response?.link;
      typing.exchange(area, holder, link ? link.markdown : "");
      say(link ? `${name} is uploaded.` : `${name} was not uploaded: ${reason(request)}.`, !link);
    };
    running += 1;
    say(`Uploading ${name}`);
    request.send(body);
  };

  const take = (event, from) => {
    const files = [...(from?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    if (files.length > MOST) say(`Only ${MOST} files are taken at once.`, true);
    files.slice(0, MOST).forEach(send);
  };

  area.addEventListener("paste", (event) => {
    // Tables and texts of other programs come with a picture of themselves.
    if (!event.clipboardData?.types.includes("text/plain")) take(event, event.clipboardData);
  });
  area.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  area.addEventListener("drop", (event) => take(event, event.dataTransfer));
  area.form?.addEventListener("submit", (event) => {
    if (!running) return;
    event.preventDefault();
    say("Wait until the files are uploaded.", true);
  });

  const chooser = suggest.element("input", { type: "file", multiple: "", "aria-label": "Files" });
  chooser.hidden = true;
  chooser.addEventListener("change", (event) => {
    take(event, chooser);
    chooser.value = "";
  });
  return chooser;
};
