// Points of pictures among the changes: a click on a picture begins a comment on it, with
// where that was. The fields are those of the form without a script.
(() => {
  const review = document.querySelector("[data-review]");
  if (!review || !document.getElementById("say-form")) return;
  const marked = ".diff-picture:has(> [data-points]) > img";
  const formOf = (article) => document.getElementById(`f-body-${article.id}`)?.form;
  review.classList.add("picks");

  // The form of a picture has the fields of a point, and how large the picture is.
  const offer = (article) => {
    const [picture, form] = [article.querySelector(marked), formOf(article)];
    const fields = form?.querySelector("[data-point]");
    if (!picture || !fields) return;
    fields.hidden = fields.disabled = false;
    const { width, height } = form.elements;
    width.value ||= picture.naturalWidth || "";
    height.value ||= picture.naturalHeight || "";
  };
  // Where a click was, in pixels of the picture as it is stored.
  const pixels = (at, shown, stored) => Math.min(Math.max(Math.round((at / shown) * stored), 0), stored);

  review.addEventListener("click", (event) => {
    const article = event.target.closest(".diff-file");
    if (!article) return;
    if (event.target.closest(".say-file")) return offer(article);
    const picture = event.target;
    if (!picture.matches(marked) || !picture.naturalWidth) return;
    article.querySelector(".say-file")?.click();
    const form = formOf(article);
    if (!form) return;
    form.elements.x.value = pixels(event.offsetX, picture.clientWidth, picture.naturalWidth);
    form.elements.y.value = pixels(event.offsetY, picture.clientHeight, picture.naturalHeight);
    form.querySelector("[data-place]").textContent = "a point of the picture";
  });
})();
