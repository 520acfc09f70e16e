// oidc-provider as a server to measure beside tenon: the same grants with
// one confidential client. It keeps everything in memory, which spares it
// the disk that tenon waits for.
//
//   node oidc_provider.mjs PORT CODES CHAINS
//
// prints one line of JSON when it listens: codes that can be exchanged,
// refresh tokens that can be rotated, and a living access token.
import Provider from "oidc-provider";

const [port, codes, chains] = process.argv.slice(2).map(Number);
const redirect = "https://client.example/callback";
// Without «openid», so that neither server signs an ID token.
const scope = "read_user offline_access";

const rows = new Map();
class Memory {
  constructor(name) {
    this.name = name;
  }
  key(id) {
    return `${this.name}:${id}`;
  }
  async upsert(id, payload) {
    rows.set(this.key(id), payload);
  }
  async find(id) {
    return rows.get(this.key(id));
  }
  async findByUid() {}
  async findByUserCode() {}
  async consume(id) {
    rows.get(this.key(id)).consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id) {
    rows.delete(this.key(id));
  }
  async revokeByGrantId() {}
}

const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: Memory,
  clients: [
    {
      client_id: "bench",
      client_secret: "bench-secret",
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
    },
  ],
  scopes: ["openid", "offline_access", "read_user"],
  pkce: { required: () => false },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    userinfo: { enabled: true },
  },
  // Its codes would end after a minute, before their turn comes.
  ttl: { AuthorizationCode: 3600, AccessToken: 3600, RefreshToken: 86400, Grant: 86400 },
  issueRefreshToken: () => true,
  rotateRefreshToken: () => true,
  findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  cookies: { keys: ["bench"] },
});
provider.on("server_error", (_, error) => console.error(error));

const client = await provider.Client.find("bench");
async function grant() {
  const made = new provider.Grant({ accountId: "1", clientId: "bench" });
  made.addOIDCScope(`openid ${scope}`);
  return made.save();
}
async function token(kind, more) {
  const grantId = await grant();
  const made = new provider[kind]({
    accountId: "1", client, grantId, scope, gty: "authorization_code", ...more,
  });
  return made.save();
}
const now = () => Math.floor(Date.now() / 1000);
async function many(count, make) {
  const made = [];
  for (let number = 0; number < count; number += 1) made.push(await make());
  return made;
}
const made = {
  codes: await many(codes, () =>
    token("AuthorizationCode", { redirectUri: redirect, authTime: now(), gty: undefined })),
  refresh: await many(chains, () => token("RefreshToken", { authTime: now() })),
  access: await token("AccessToken", { scope: "openid" }),
};
provider.listen(port, "127.0.0.1", () => console.log(JSON.stringify(made)));
