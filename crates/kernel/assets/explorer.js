// Runs the query of the explorer and shows types. Without this file the form
// leads to the answer itself.
(() => {
  const at = (id) => document.getElementById(id);
  const form = at("explorer");
  const state = at("answer-state");

  const ask = (body) =>
    fetch("/api/graphql", {
      method: "POST",
      credentials: "same-origin",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        ...(form.dataset.csrf && { "X-CSRF-Token": form.dataset.csrf }),
      },
      body: JSON.stringify(body),
    });

  // What was asked last; earlier answers that come later are dropped.
  let asked = 0;
  async function run() {
    const own = ++asked;
    const variables = at("variables").value.trim();
    try {
      JSON.parse(variables || "{}");
    } catch (error) {
      state.textContent = `Variables are not JSON: ${error.message}`;
      at("variables").focus();
      return;
    }
    state.textContent = "Running…";
    const begun = performance.now();
    let said, text;
    try {
      const operationName = at("operation").value.trim() || null;
      const answer = await ask({ query: at("query").value, variables, operationName });
      const cost = answer.headers.get("X-Service-Complexity");
      text = await answer.text();
      said = `Status ${answer.status}, ${Math.round(performance.now() - begun)} ms`;
      if (cost) said += `, complexity ${cost} of ${answer.headers.get("X-Service-Complexity-Limit")}`;
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch (error) {
      said ??= `The server cannot be reached: ${error.message}`;
    }
    if (own !== asked) return;
    state.textContent = `${said}.`;
    at("answer").textContent = text ?? "";
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });

  const TYPE = `query($name: String!) { __type(name: $name) {
    kind name description possibleTypes { name } enumValues { name }
    fields { name type { ...T } args { name type { ...T } } } inputFields { name type { ...T } }
  } }
  fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { name } } } }`;

  const written = (type) => {
    if (type.kind === "NON_NULL") return `${written(type.ofType)}!`;
    return type.kind === "LIST" ? `[${written(type.ofType)}]` : type.name;
  };
  const member = ({ name, args, type }) => {
    const taken = (args ?? []).map(member).join(", ");
    return `${name}${taken && `(${taken})`}: ${written(type)}`;
  };
  const shown = (type) => {
    const members = type.fields ?? type.inputFields;
    const lines = members ? members.map(member) : (type.enumValues ?? []).map(({ name }) => name);
    const objects = (type.possibleTypes ?? []).map(({ name }) => name);
    if (objects.length > 0) lines.push("", `One of: ${objects.join(", ")}`);
    return [`${type.name} (${type.kind.toLowerCase().replace("_", " ")})`, type.description, "", ...lines].join("\n");
  };

  at("look-up").addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = at("type").value.trim();
    const place = at("shown");
    place.hidden = false;
    try {
      const answer = await ask({ query: TYPE, variables: { name } });
      const type = (await answer.json()).data?.__type;
      place.textContent = type ? shown(type) : `No type is called ${name}.`;
    } catch (error) {
      place.textContent = `The server cannot be reached: ${error.message}`;
    }
  });

  const names = async () => {
    const answer = await ask({ query: "{ __schema { types { name } } }" });
    const { data } = await answer.json();
    at("types").replaceChildren(...data.__schema.types.map(({ name }) => new Option(name, name)));
  };
  at("type").addEventListener("focus", () => names().catch(() => {}), { once: true });
})();
