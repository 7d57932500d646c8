import assert from "node:assert/strict";
import { mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ownPlace } from "../../lib/process-identity.ts";
import { layoutOf } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { awaitSilence, lastOccupant, occupy } from "./occupancy.ts";

describe("a data folder that another container may be using", () => {
  const { signal } = new AbortController();
  let layout: Layout;
  before(async () => {
    layout = layoutOf(await mkdtemp(join(tmpdir(), "occupancy-")));
  });
  after(() => rm(layout.root, { recursive: true, force: true }));

  const occupyFrom = async (change: object) => {
    await writeFile(layout.occupancy, JSON.stringify({ ...(await ownPlace()), ...change }));
  };

  test("a folder nobody used, or we did, is ours to judge; another container's is not", async () => {
    const unused = await lastOccupant(layout);
    await occupy(layout);
    const own = await lastOccupant(layout);
    await occupyFrom({ boot: "an earlier one" });
    const rebooted = await lastOccupant(layout);
    await occupyFrom({ pidNamespace: "another" });
    const container = await lastOccupant(layout);

    assert.deepEqual([unused, own, rebooted, container], ["here", "here", "ended", "elsewhere"]);
  });

  test("an occupant elsewhere that shows life is left alone: we refuse", async () => {
    await occupyFrom({ boot: "other", host: "other" });
    let second = 0;
    const life = setInterval(() => void utimes(layout.occupancy, ++second, second), 10);

    const waiting = awaitSilence(layout, { signal, silenceMs: 60_000 });

    await assert.rejects(waiting, { code: "already_running", message: /another container or machine/ });
    clearInterval(life);
  });

  test("one that shows none for long enough is gone", async () => {
    await occupyFrom({ boot: "other", host: "other" });
    const before = (await stat(layout.occupancy)).mtimeMs;

    await awaitSilence(layout, { signal, silenceMs: 50 });

    assert.equal((await stat(layout.occupancy)).mtimeMs, before);
  });
});
