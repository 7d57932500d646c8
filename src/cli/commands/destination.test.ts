import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine } from "../../../test/command-line.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { NO_SSHD, startSshd } from "../../../test/sshd.ts";
import type { Destination } from "../../contract/destinations.ts";

const home = closeAfterTests(await commandLine());
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
const inShop = ["--catalog", "shop"];
const set = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);

const LOGIN = { host: "127.0.0.1", user: "me", password: "pass-word" };

test("a destination is added, changed, listed without its secrets, and removed", async () => {
  const options = ["--format", "acp.jsonl.gz", "--schedule", "daily", "--daily-at", "04:15"];
  const added = await home.data<Destination>(
    "destination",
    "add",
    "--kind",
    "sftp",
    ...inShop,
    ...set(LOGIN),
    ...options,
  );
  assert.deepEqual(
    [added.format, added.schedule, added.daily_at, added.shards, added.secrets_set],
    ["acp.jsonl.gz", "daily", "04:15", true, ["password"]],
  );

  const change = ["--shards", "no", "--max-bytes-per-s", "50000", "--enabled", "no", ...set({ path: "in" })];
  const changed = await home.data<Destination>("destination", "update", added.id, ...inShop, ...change);
  assert.deepEqual(
    [changed.shards, changed.max_bytes_per_s, changed.settings["path"]],
    [false, 50_000, "in"],
  );
  assert.equal(changed.next_delivery_at, null);

  const listed = await home.run(["destination", "list", ...inShop]);
  assert.match(listed.out, /acp\.jsonl\.gz +daily at 04:15 UTC +new, disabled/);
  assert.ok(!listed.out.includes("pass-word"));
  const early = await home.run(["destination", "send", added.id, ...inShop]);
  assert.match(early.talk, /no published files yet/);
  assert.deepEqual(await home.data("destination", "deliveries", ...inShop), {
    deliveries: [],
    next_cursor: null,
  });
  assert.deepEqual(await home.data("destination", "remove", added.id, ...inShop), {
    id: added.id,
    deleted: true,
  });
});

test("a destination at the place and with the file name of another one is refused", async () => {
  const add = async (settings: Readonly<Record<string, string>>, ...options: readonly string[]) =>
    home.run([
      "destination",
      "add",
      "--kind",
      "sftp",
      ...inShop,
      ...set({ ...LOGIN, ...settings }),
      ...options,
      "--json",
    ]);
  const first = JSON.parse((await add({ path: "/in" })).out) as Destination;
  const same = await add({ host: "127.0.0.1", path: "/in//", user: "other" });
  assert.notEqual(same.status, 0);
  assert.match(same.talk + same.out, new RegExp(`\\(${first.id}\\) already delivers to the same place`));
  const others = [
    await add({ path: "in" }),
    await add({ path: "/in" }, "--file-name", "others"),
    await add({ path: "/in" }, "--format", "gmc.tsv.gz"),
  ];
  for (const { status, talk } of others) assert.equal(status, 0, talk);
  const { id } = JSON.parse(others[1]?.out ?? "") as Destination;
  const renamed = await home.run(["destination", "update", id, ...inShop, "--file-name", "products"]);
  assert.match(renamed.talk, /already delivers to the same place/);
  assert.equal((await home.run(["destination", "update", id, ...inShop, "--enabled", "no"])).status, 0);
  for (const made of [first, ...others.map(({ out }) => JSON.parse(out) as Destination)])
    await home.data("destination", "remove", made.id, ...inShop);
});

test("numbers that may be 0 say so when they are wrong", async () => {
  const add = ["destination", "add", "--kind", "sftp", ...inShop, ...set(LOGIN)];
  const bandwidth = await home.run([...add, "--max-bytes-per-s", "none"]);
  assert.match(
    bandwidth.talk,
    /max_bytes_per_s: Must be a whole number from 1000 to 10000000000( or null)?\. Got "none"\./,
  );
  const days = await home.run([...add, "--vanished-days=-1"]);
  assert.match(days.talk, /vanished_days: Must be a whole number from 0 to 90\. Got -1\./);
  const made = await home.data<Destination>(...add, "--max-bytes-per-s", "0", "--vanished-days", "0");
  assert.deepEqual([made.max_bytes_per_s, made.vanished_days], [null, 0]);
  await home.data("destination", "remove", made.id, ...inShop);
});

test("a test shows the host key and how to confirm it, and then whether it works", {
  skip: NO_SSHD,
}, async () => {
  await using sshd = await startSshd();
  const { user, port, privateKey, folder } = sshd;
  const login = { host: "127.0.0.1", port: String(port), user, private_key: privateKey, path: folder };
  const { id } = await home.data<Destination>(
    "destination",
    "add",
    "--kind",
    "sftp",
    ...inShop,
    ...set(login),
  );

  const first = await home.run(["destination", "test", id, ...inShop]);
  assert.equal(first.status, 6);
  assert.ok(first.out.includes(`--set "host_key=${sshd.hostKey}"`), first.out);
  await home.data("destination", "update", id, ...inShop, ...set({ host_key: sshd.hostKey }));
  const second = await home.run(["destination", "test", id, ...inShop]);

  assert.deepEqual([second.status, second.out], [0, "It works.\n"]);
});

test("a command that lacks ALLOW_PRIVATE_TARGETS says that it needs the setting itself", async () => {
  const { ALLOW_PRIVATE_TARGETS: _, ...env } = home.env;
  for (const url of ["http://127.0.0.1:9000/feed", "https://127.0.0.1:9000/feed"]) {
    const line = ["destination", "add", "--kind", "https", ...inShop, ...set({ url }), "--shards", "no"];
    const { talk } = await home.run(line, { env });
    assert.match(talk, /\nSet ALLOW_PRIVATE_TARGETS for this command, too: .*\n$/);
  }
});

test("each mistake has its own message", async () => {
  const lines: Readonly<Record<string, readonly string[]>> = {
    "host: Is required.": ["add", "--kind", "sftp", ...set({ user: "me", password: "x" })],
    "--kind must be": ["add", "--kind", "ftp"],
    "either a password or a private key": [
      "add",
      "--kind",
      "sftp",
      ...set({ host: "a.example", user: "me" }),
    ],
    "public key": [
      "add",
      "--kind",
      "sftp",
      ...set({ host: "a.example", user: "me", private_key: PUBLIC_KEY }),
    ],
    "format: Must be one of: acp.csv.gz": ["add", "--kind", "sftp", ...set(LOGIN), "--format", "xml"],
    "a time such as": ["add", "--kind", "sftp", ...set(LOGIN), "--daily-at", "25:00"],
    "letters, digits": ["add", "--kind", "sftp", ...set(LOGIN), "--file-name", "../x"],
    "no such time zone": ["add", "--kind", "sftp", ...set(LOGIN), "--time-zone", "Nowhere"],
    "https://": ["add", "--kind", "https", ...set({ url: "http://a.example/x" })],
    "Line 2 is not a header": [
      "add",
      "--kind",
      "https",
      ...set({ url: "https://a.example/x", headers: "A: b\nnothing" }),
    ],
    "id: Must be a UUID": ["test", "7"],
    "no destination": ["remove", "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff"],
  };
  for (const [words, line] of Object.entries(lines)) {
    const { status, talk } = await home.run(["destination", ...line, ...inShop]);
    assert.notEqual(status, 0, words);
    assert.ok(talk.includes(words), `${words} in ${talk}`);
  }
});

const PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRr5BMYoKYxWnyPQ7a4Jw0tIu3gSm2mQ4ZkUj3Tq9aB someone@example";
