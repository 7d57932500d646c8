/** The embedded database under the accounts people run it with: root, which PostgreSQL refuses, and any other user. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, chmod, chown, constants, cp, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, test } from "node:test";
import { promisify } from "node:util";
import { commandLineOf } from "../../src/lib/process-identity.ts";
import { foldersTo } from "../../src/store/embedded/account.ts";
import { copyBinaries, createLinks, findBinaries } from "../../src/store/embedded/binaries.ts";
import { openEmbedded } from "../../src/store/embedded.ts";
import { ask, dataFolder, endHolders, serverPid, startHolder } from "./embedded-holder.ts";

const run = promisify(execFile);
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const rootOnly = { skip: isRoot ? false : "only root starts the server under another account" };
const quiet = () => undefined;

afterEach(endHolders);

test(
  "as root, the server runs as the user nobody, from its own copy of the binaries, and no other user can read its secrets",
  rootOnly,
  async () => {
    await using folder = await dataFolder();

    const embedded = await openEmbedded({ dataDir: folder.path, log: quiet });
    const pid = await serverPid(folder.path);
    const root = join(folder.path, "postgres");
    const [server, connection, password] = await Promise.all([
      stat(join(root, "cluster", "data", "postmaster.pid")),
      stat(join(root, "connection.json")),
      stat(join(root, "cluster", "password")),
    ]);
    const { version } = await findBinaries(process.platform, process.arch);
    const commandLine = await commandLineOf(pid ?? 0);
    await embedded.close();

    assert.equal(server.uid, NOBODY.uid);
    assert.ok(commandLine?.startsWith(join(root, `runtime-${version}`, "bin", "postgres")));
    assert.deepEqual([connection.mode & 0o777, connection.uid], [0o600, 0]);
    assert.deepEqual([password.mode & 0o777, password.uid], [0o600, NOBODY.uid]);
  },
);

test(
  "as root, a parent folder that the user nobody cannot enter is named, with the command that allows it",
  rootOnly,
  async () => {
    await using folder = await dataFolder();
    const closed = dirname(folder.path);
    await chmod(closed, 0o700);

    const opening = openEmbedded({ dataDir: folder.path, log: quiet });

    await assert.rejects(opening, (error: Error & { code?: string }) => {
      assert.equal(error.code, "embedded_database_failed");
      assert.ok(error.message.includes(`The folder ${closed} is closed`));
      assert.ok(error.message.includes(`chmod o+x ${closed}`));
      assert.ok(error.message.includes("DATA_DIR") && error.message.includes("DATABASE_URL"));
      return true;
    });
  },
);

test(
  "binaries in a private folder, without links, run as the user nobody after they are copied",
  rootOnly,
  async () => {
    await using folder = await dataFolder();
    const { native } = await findBinaries(process.platform, process.arch);
    const clone = join(folder.path, "private", "native");
    const target = join(folder.path, "runtime-test");
    await mkdir(dirname(clone), { recursive: true });
    await cp(native, clone, { recursive: true, verbatimSymlinks: true });
    for (const entry of await readdir(join(clone, "lib"), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(clone, "lib", entry.name));
    }
    await closeAll(clone);
    await chmod(dirname(clone), 0o700);
    await assert.rejects(run(join(clone, "bin", "initdb"), ["--version"], NOBODY), { code: "EACCES" });

    await copyBinaries(clone, target);
    const again = await copyBinaries(clone, target);
    const { stdout } = await run(join(target, "bin", "initdb"), ["--version"], {
      ...NOBODY,
      env: {},
      cwd: "/",
    });

    assert.match(stdout, /^initdb \(PostgreSQL\) 18\./);
    assert.equal(again, target);
    assert.deepEqual((await readdir(folder.path)).sort(), ["private", "runtime-test"]);
  },
);

test("any other user runs it from its folder, under their own account", {
  skip: await whyNoOther(),
}, async () => {
  await using folder = await dataFolder();
  await mkdir(folder.path);
  const other = isRoot ? NOBODY : {};
  // As npm run after-install does: the other account may not write there.
  const { native } = await findBinaries(process.platform, process.arch);
  assert.ok(await createLinks(native));
  if (isRoot) await chown(folder.path, NOBODY.uid, NOBODY.gid);

  const holder = await startHolder(folder.path, other);
  const answer = await ask(holder.connectionString, "select current_user::text");
  const server = await stat(join(folder.path, "postgres", "cluster", "data", "postmaster.pid"));
  const entries = await readdir(join(folder.path, "postgres"));
  await holder.close();

  assert.deepEqual(answer, ["shelfwire"]);
  assert.equal(server.uid, isRoot ? NOBODY.uid : process.getuid?.());
  assert.deepEqual(
    entries.filter((name) => name.startsWith("runtime-")),
    [],
  );
  assert.equal(await serverPid(folder.path), null);
});

test("data that belongs to another account is refused with the name of the account", rootOnly, async () => {
  await using folder = await dataFolder();
  await mkdir(folder.path);
  await chown(folder.path, 12_345, 12_345);
  const data = join(folder.path, "postgres", "cluster", "data");
  await mkdir(data, { recursive: true });
  await run("/bin/sh", ["-c", 'echo 18 > "$0/PG_VERSION"; chown 12345 "$0"', data]);

  const opening = openEmbedded({ dataDir: folder.path, log: quiet });

  await assert.rejects(opening, { code: "embedded_database_failed", message: /belongs to uid 12345/ });
});

async function closeAll(folder: string): Promise<void> {
  await run("/bin/chmod", ["-R", "go-rwx", folder]);
}

/** Run as root, the test uses the account `nobody`, which must be able to read this repository and its Node. */
async function whyNoOther(): Promise<string | false> {
  if (!isRoot) return false;
  const paths = [...foldersTo(import.meta.filename), ...foldersTo(process.execPath)];
  for (const path of paths) {
    const { mode } = await stat(path);
    await access(path, constants.R_OK);
    if ((mode & 0o005) !== 0o005 && path !== import.meta.filename) return `${path} is closed to nobody`;
  }
  return false;
}
