/** The change log of commands: every command that changes something is in it, under the user who ran it. */
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const home = closeAfterTests(await commandLine());

type Change = {
  catalog: string | null;
  by: { kind: string; name: string };
  call: string;
  target: { type: string; id: string | null; fields: string[] };
};
const changes = async (...options: string[]): Promise<Change[]> =>
  (await home.data<{ changes: Change[] }>("changes", ...options)).changes;

/** All commands that do something, as the help lists them. */
async function commands(...above: string[]): Promise<string[]> {
  const { out } = await home.run([...above, "--help"]);
  const [, list = ""] = out.split("\nCommands:\n");
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
  const below = names.filter((name) => name !== "help").map(async (name) => commands(...above, name));
  const found = (await Promise.all(below)).flat();
  return found.length === 0 && above.length > 0 ? [above.join(" ")] : found;
}

/**
 * Tried in the next test, or a run that has its own: `webhook listen` and `webhook test` need a receiver, `destination
 * send` published files, `renders promote` and `renders discard` a held render.
 */
const CHANGING = [
  "catalog create",
  "catalog update",
  "catalog rotate-feed-url",
  "catalog delete",
  "key create",
  "key revoke",
  "source add",
  "source update",
  "source remove",
  "webhook add",
  "webhook enable",
  "webhook disable",
  "webhook rotate",
  "webhook resend",
  "webhook remove",
  "webhook test",
  "webhook listen",
  "destination add",
  "destination update",
  "destination send",
  "destination remove",
  "alerts set",
  "rules import",
  "sync",
  "runs cancel",
  "push",
  "render",
  "renders promote",
  "renders discard",
  "guard set",
  "renders rollback",
  "renders release",
  "restore",
  "resume",
  "items remove",
  "secret-key rotate",
];
const READING = [
  "diff",
  "verify",
  "serve",
  "sign-in",
  "worker",
  "migrate",
  "catalog list",
  "key list",
  "source list",
  "source test",
  "runs list",
  "runs show",
  "renders list",
  "guard show",
  "refusals",
  "explain",
  "fetches",
  "mcp",
  "rules export",
  "rules list",
  "validate",
  "audit",
  "webhook list",
  "webhook deliveries",
  "destination list",
  "destination deliveries",
  "destination test",
  "alerts list",
  "alerts test",
  "changes",
  "status",
  "doctor",
  "backup",
];

test("every command is listed either as changing something or as not", async () => {
  assert.deepEqual((await commands()).toSorted(), [...CHANGING, ...READING].toSorted());
});

test("commands that change something are listed with who ran them and the names of what they set", async () => {
  await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "EUR");
  const inShop = ["--catalog", "shop"];
  const { id: keyId } = await home.data<{ id: string }>("key", "create", ...inShop, "--scopes", "read,admin");
  await home.data("key", "revoke", keyId);
  const url = "url=https://127.0.0.1/f.csv";
  const secret = ["--set", "username=me", "--set", "password=hunter-two"];
  const add = ["source", "add", ...inShop, "--kind", "feed_url", "--set", url];
  const { id } = await home.data<{ id: string }>(...add);
  await home.data("source", "update", id, "--name", "Other", ...secret);
  await home.data("source", "remove", id, "--items", "keep");
  const hook = await home.data<{ id: string }>("webhook", "add", "http://127.0.0.1/x", ...inShop);
  await home.data("webhook", "disable", hook.id, ...inShop);
  await home.data("webhook", "rotate", hook.id, ...inShop);
  await home.data("webhook", "remove", hook.id, ...inShop);
  const login = ["host=127.0.0.1", "user=me", "password=hunter-two"].flatMap((pair) => ["--set", pair]);
  const made = await home.data<{ id: string }>("destination", "add", ...inShop, "--kind", "sftp", ...login);
  await home.data("destination", "update", made.id, ...inShop, "--enabled", "no", "--set", "path=in");
  await home.data("destination", "remove", made.id, ...inShop);
  await home.data("guard", "set", ...inShop, "off", "items_removed=60%", "price_median=off");
  await home.data("alerts", "set", ...inShop, "--to", "feeds@shop.example", "--digest-at", "never");
  await home.data("catalog", "rotate-feed-url", "--slug", "shop");
  await home.data("catalog", "update", "--slug", "shop", "--name", "Shop 2");

  const all = await changes("--catalog", "shop");

  assert.deepEqual(
    all.toReversed().map(({ call, target }) => [call, target.type, target.fields.join(" ")]),
    [
      ["catalog create", "catalog", "slug name settings.currency"],
      ["key create", "key", "scope read scope admin"],
      ["key revoke", "key", ""],
      ["source add", "source", "kind settings.url"],
      ["source update", "source", "settings.username settings.password name"],
      ["source remove", "source", "items=keep"],
      ["webhook add", "webhook", "url events"],
      ["webhook disable", "webhook", "enabled"],
      ["webhook rotate", "webhook", "secret"],
      ["webhook remove", "webhook", ""],
      ["destination add", "destination", "kind settings.host settings.user settings.password"],
      ["destination update", "destination", "settings.path enabled"],
      ["destination remove", "destination", ""],
      ["guard set", "publish-guard", "enabled limits.items_removed limits.price_median"],
      ["alerts set", "alerts", "recipients digest_at"],
      ["catalog rotate-feed-url", "feeds", "url"],
      ["catalog update", "catalog", "name"],
    ],
  );
  for (const { by } of all) assert.deepEqual([by.kind, by.name], ["cli", userInfo().username]);
  assert.ok(!JSON.stringify(all).includes("hunter-two"));

  await home.data("catalog", "delete", "--slug", "shop", "--yes");
  const left = await changes();
  assert.deepEqual(
    left.map(({ call, catalog, target }) => [call, catalog, target.id]),
    [["catalog delete", null, "shop"]],
  );
  const { out } = await home.run(["changes"]);
  assert.match(out, /catalog delete +catalog shop/);
});
