/** What a start prints: at a terminal (a pseudo-terminal of `script`), in production, and to a log. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { join } from "node:path";
import { dataFolder } from "./embedded-holder.ts";
import { command, freePort } from "./program.ts";
import { started } from "./started.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

describe("a start at a terminal", () => {
  const parts = new AsyncDisposableStack();
  let env: Record<string, string>;

  before(async () => {
    const { path } = parts.use(await dataFolder());
    env = { DATA_DIR: path, PORT: String(await freePort()), TERM: "dumb" };
  });
  after(() => parts.disposeAsync());

  /** Starts the service at a pseudo-terminal, does something with it, stops it, and returns what the terminal shows. */
  const startAtTerminal = async (
    use: (text: () => string) => Promise<void> = async () => undefined,
  ): Promise<string> => {
    const line = `exec '${process.execPath}' '${MAIN}' serve`;
    // macOS has another `script`: there the command follows the file.
    const args =
      process.platform === "darwin" ? ["-q", "/dev/null", "sh", "-c", line] : ["-qefc", line, "/dev/null"];
    await using terminal = started("script", args, { env });
    await terminal.says(/Stop it with Ctrl-C/);
    await use(() => terminal.said.out);
    const file = await readFile(join(env["DATA_DIR"] ?? "", "server.json"), "utf8");
    process.kill((JSON.parse(file) as { pid: number }).pid, "SIGTERM");
    await terminal.ended;
    return terminal.said.out.replaceAll("\r\n", "\n");
  };

  test("the first start prints readable lines, and as the last thing link, key and feeds that work", async () => {
    let link = "";
    const shown = await startAtTerminal(async (text) => {
      const key = /API key {2}(sw_\w+)/.exec(text())?.[1] ?? "";
      link = /console {2}(http\S+\/sign-in\?catalog=demo#\w+)/.exec(text())?.[1] ?? "";
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await fetch(`http://127.0.0.1:${env["PORT"]}/api/v1/feeds`, { headers });
      assert.equal(status, 200);
      for (const [, url = ""] of text().matchAll(/feed {5}(\S+)/g))
        assert.equal((await fetch(url)).status, 200);
    });

    assert.match(shown, /^\d\d:\d\d:\d\dZ info {2}starting the database/m);
    assert.match(shown, /^\d\d:\d\d:\d\dZ info {2}sync succeeded {2}seen 52/m);
    assert.doesNotMatch(shown, /^\{/m);
    assert.notEqual(link, "");
    // The requests above are not shown, so that nothing follows the summary.
    assert.match(shown, /Stop it with Ctrl-C\.\s+Stopping…\s*$/);
  });

  test("a later start shows a new link, and neither the key nor the demo", async () => {
    const shown = await startAtTerminal();

    assert.match(shown, /console {2}http\S+\/sign-in#\w+ /);
    assert.doesNotMatch(shown, /sw_|demo/);
  });
});

test("a start in production has no demo, and logs JSON with level names and ISO times to a pipe", async () => {
  await using folder = await dataFolder();
  const env = { DATA_DIR: folder.path, PORT: String(await freePort()), NODE_ENV: "production" };
  await using service = started(process.execPath, [MAIN, "serve"], { env });
  await service.says(/Stop it with Ctrl-C/);

  assert.match(
    service.said.out,
    /console {2}http:\/\/127\.0\.0\.1:\d+ {3}\(`npm run -s cli -- sign-in` prints/,
  );
  const { status, out } = await command(env, "catalog", "list", "--json");
  assert.deepEqual([status, JSON.parse(out)], [0, { catalogs: [] }]);
  process.kill(service.pid, "SIGTERM");
  assert.equal(await service.ended, 0);
  const lines = service.said.talk.split("\n").filter((line) => line.startsWith("{"));
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const { level, time } = JSON.parse(line) as { level: string; time: string };
    assert.equal(level, "info");
    assert.equal(new Date(time).toISOString(), time);
  }
  // Beside the lines of the log only the last one, which is for people.
  assert.equal(service.said.talk.trimEnd().split("\n").length, lines.length + 1);
});

test("LOG_FORMAT chooses the format, whatever the output is", async () => {
  await using folder = await dataFolder();
  const port = String(await freePort());
  const env = { DATA_DIR: folder.path, PORT: port, LOG_FORMAT: "text", LOG_LEVEL: "debug" };
  await using service = started(process.execPath, [MAIN, "serve", "--no-demo"], { env });
  await service.says(/Stop it with Ctrl-C/);

  await fetch(`http://127.0.0.1:${port}/api/v1/feeds`);

  await service.says(/^\d\d:\d\d:\d\dZ info {2}request {2}method=GET .*status=401/m);
});
