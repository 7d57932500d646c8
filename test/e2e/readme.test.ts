/** The commands of README.md and docs/getting-started.md: they are read from these pages and run unchanged. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../actions.ts";
import { tempDir } from "../fresh.ts";
import { dataFolder } from "./embedded-holder.ts";
import { freePort } from "./program.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The text of every ```bash block, in order. */
function bashBlocks(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

const [install = "", ...tries] = bashBlocks(await readFile(join(ROOT, "README.md"), "utf8"));
const walk = bashBlocks(await readFile(join(ROOT, "docs/getting-started.md"), "utf8"));

type Ran = { readonly status: number | string | null; readonly out: string; readonly talk: string };

describe("the README and the page on getting started", () => {
  const parts = new AsyncDisposableStack();
  let checkout: string;
  let env: Record<string, string>;

  before(async () => {
    const { path: dataDir } = parts.use(await dataFolder());
    checkout = join(parts.use(await tempDir()).path, "shelfwire");
    // A checkout of its own, so that the files the commands write do not land in ours.
    await mkdir(checkout);
    for (const name of await readdir(ROOT)) {
      if (!name.startsWith(".")) await symlink(join(ROOT, name), join(checkout, name));
    }
    const { PATH = "", HOME = "" } = process.env;
    env = { PATH, HOME, DATA_DIR: dataDir, PORT: String(await freePort()) };
  });
  after(() => parts.disposeAsync());

  /** The port is the only thing that is not as written: 8080 may be taken where the tests run. */
  const withPort = (script: string): string =>
    script.replaceAll("127.0.0.1:8080", `127.0.0.1:${env["PORT"]}`);

  function bash(script: string) {
    const child = spawn("bash", ["-euo", "pipefail", "-c", withPort(script)], {
      cwd: checkout,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const said = { out: "", talk: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.talk += text));
    const ended = once(child, "close").then(([status]: unknown[]) => status as number | null);
    return { pid: child.pid ?? 0, said, ended };
  }

  test("states at its top that OpenAI takes pushed files", async () => {
    const top = (await readFile(join(ROOT, "README.md"), "utf8")).split("```")[0] ?? "";

    assert.match(top, /OpenAI does not: it takes files that you push/);
  });

  test("fits on one screen", async () => {
    const lines = (await readFile(join(ROOT, "README.md"), "utf8")).split("\n");

    assert.ok(lines.length <= 60, `${lines.length} lines`);
  });

  test("starts the service with the commands it names", async () => {
    assert.deepEqual(install.trim().split("\n"), ["npm ci", "npm start"]);
    // The packages are here already; everything else is run.
    const { pid, said } = bash("exec npm start");
    parts.defer(async () => {
      // The whole group: npm, the server and its worker.
      process.kill(-pid, "SIGINT");
      await until(async () => !isAlive(-pid), "the service to end").catch(() =>
        process.kill(-pid, "SIGKILL"),
      );
    });

    await until(async () => said.out.includes("Stop it with Ctrl-C"), "the service to run");
    assert.match(said.out, /A demo catalog, "Fjord & Fern", with 49 items/);
  });

  test("shows the score of a file with one command", async () => {
    assert.equal(tries.length, 1);
    const { said, ended } = bash(tries[0] ?? "");

    assert.equal(await ended, 0, said.talk);
    assert.match(said.out, /74 \/ 100/);
  });

  test("defines a command that works in another folder, with a file of that folder", async () => {
    await using folder = await tempDir();
    await copyFile(join(ROOT, "sample/shop.csv"), join(folder.path, "own.csv"));
    const [definition = ""] = /^CHECKOUT=.*\nshelfwire\(\).*$/m.exec(walk[0] ?? "") ?? [];

    const { said, ended } = bash(
      `${definition}\ncd '${folder.path}'\nshelfwire audit own.csv --seller-name Fjord`,
    );

    assert.equal(await ended, 0, said.talk);
    assert.match(said.out, /74 \/ 100/);
  });

  test("leads to hosted feeds with its commands in one shell", async () => {
    assert.ok(walk.length >= 5, `${walk.length} blocks`);
    const mark = (index: number) => `printf '\\n=== block ${index} done ===\\n'`;
    // The sample has items that will be refused, so that `validate` ends with 6; the shell ends at any other failure.
    const script = walk
      .map((block, index) => `${block}\n${mark(index)}`)
      .join("\n")
      .replace(/^shelfwire validate \S+/gm, "$& || [ $? = 6 ]");

    const { said, ended } = bash(script);
    const ran: Ran = { status: await ended, ...said };

    assert.equal(ran.status, 0, `${ran.out}\n${ran.talk}`);
    const outs = ran.out.split(/\n=== block \d+ done ===\n/);
    const [setup = "", calls = "", pushed = "", feeds = "", offline = ""] = outs;
    assert.match(setup, /52 seen: (49 stored, 0 unchanged|0 stored, 49 unchanged), 3 rejected/);
    assert.match(setup, /gmc\.tsv: 49 items, 4 will be refused/);
    assert.match(calls, /"last_render":\{"run_id"/);
    assert.match(calls, /"id":"MUG-TEAL"/);
    assert.match(calls, /"rejected":3/);
    assert.match(pushed, /"upserted":1/);
    assert.match(feeds, new RegExp(`^http://127\\.0\\.0\\.1:${env["PORT"]}/f/my-shop/\\S+/gmc\\.tsv$`, "m"));
    assert.match(feeds, /\(acp\.csv\): 50 rows, 3 errors/);
    assert.match(offline, /74 \/ 100/);
    assert.match(offline, /\(gmc\.tsv\): 49 rows, 4 errors/);
    assert.doesNotMatch(ran.out, /urn:shelfwire:problem/);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
