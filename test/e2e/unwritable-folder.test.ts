/** A data folder that the user may not write to, tested as another user: root may write everywhere. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../fresh.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
/** By convention `nobody`. */
const OTHER_USER = 65_534;

type Ended = { readonly status: number | null; readonly out: string };

/** Runs a command as a user who is not the superuser. */
async function asOtherUser(line: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const isRoot = process.getuid?.() === 0;
  const child = spawn(process.execPath, [MAIN, ...line], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot && { uid: OTHER_USER, gid: OTHER_USER }),
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (out += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [status] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { status, out };
}

test("a data folder that is not writable is a configuration error in one sentence", async (t) => {
  await using folder = await tempDir();
  await chmod(folder.path, 0o755);
  const mine = join(folder.path, "mine");
  await mkdir(mine);
  await chmod(mine, 0o555);
  if ((await asOtherUser(["--version"], {})).status !== 0) {
    t.skip("other users may not read this checkout");
    return;
  }

  const attempts: readonly (readonly [string, readonly string[]])[] = [
    [mine, ["serve"]],
    [mine, ["worker"]],
    [mine, ["catalog", "list"]],
    [join(mine, "below"), ["serve"]],
  ];
  for (const [dataDir, line] of attempts) {
    const { status, out } = await asOtherUser(line, { DATA_DIR: dataDir });

    assert.equal(status, 4, `${line.join(" ")}: ${out}`);
    assert.match(out, /cannot be written to by this user \(uid \d+\): choose another folder/);
    assert.match(out, /\(config_invalid\)/);
    assert.doesNotMatch(out, /\n\s+at /);
  }
  assert.deepEqual(await readdir(mine), []);
});
