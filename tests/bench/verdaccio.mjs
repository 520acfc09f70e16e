// verdaccio as a registry to measure beside tenon: everybody may read and
// publish, and it asks no other registry.
//
//   node verdaccio.mjs PORT STORAGE
//
// prints one line of JSON when it listens.
import { runServer } from "verdaccio";

const [port, storage] = process.argv.slice(2);
const everybody = { access: "$all", publish: "$all", unpublish: "$all" };
const server = await runServer({
  self_path: storage,
  storage,
  configPath: `${storage}/config.yaml`,
  auth: { htpasswd: { file: `${storage}/htpasswd`, max_users: -1 } },
  uplinks: {},
  packages: { "@*/*": everybody, "**": everybody },
  publish: { allow_offline: true },
  max_body_size: "100mb",
  web: { enable: false },
  log: { type: "stdout", format: "json", level: "fatal" },
  security: { api: { legacy: true } },
});
server.listen(Number(port), "127.0.0.1", () => console.log(JSON.stringify({ port })));
