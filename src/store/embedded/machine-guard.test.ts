import assert from "node:assert/strict";
import { mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ownPlace } from "../../lib/process-identity.ts";
import { claimMachine, hasLocalPids } from "./machine-guard.ts";
import { type Paths, pathsIn } from "./paths.ts";

describe("a data folder that another container may be using", () => {
  const { signal } = new AbortController();
  let paths: Paths;
  before(async () => {
    paths = pathsIn(await mkdtemp(join(tmpdir(), "machine-guard-")));
  });
  after(() => rm(paths.root, { recursive: true, force: true }));

  const claimFrom = async (change: object) => {
    await writeFile(paths.machine, JSON.stringify({ ...(await ownPlace()), ...change }));
  };

  test("its pids can be looked up if it was not used or used by this machine, and not after a reboot", async () => {
    const unused = await hasLocalPids(paths, { signal });
    await claimMachine(paths);
    const own = await hasLocalPids(paths, { signal });
    await claimFrom({ boot: "an earlier one" });
    const rebooted = await hasLocalPids(paths, { signal });

    assert.deepEqual([unused, own, rebooted], [true, true, false]);
  });

  test("is refused while another container's heartbeat goes on", async () => {
    await claimFrom({ pidNamespace: "another" });
    let second = 0;
    const beat = setInterval(() => void utimes(paths.machine, ++second, second), 10);

    const waiting = hasLocalPids(paths, { signal, timeoutMs: 60_000 });

    await assert.rejects(waiting, { code: "already_running", message: /another container or machine/ });
    clearInterval(beat);
  });

  test("is free when that heartbeat has stopped for long enough", async () => {
    await claimFrom({ boot: "other", host: "other" });
    const before = (await stat(paths.machine)).mtimeMs;

    const isLocal = await hasLocalPids(paths, { signal, timeoutMs: 50 });

    assert.equal(isLocal, false);
    assert.equal((await stat(paths.machine)).mtimeMs, before);
  });
});
