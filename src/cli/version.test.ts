/** `--version` answers at once, because it loads nothing of the program but what it needs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { VERSION } from "./program.ts";

const SRC = join(import.meta.dirname, "..");

/** Writes the address of every module that is loaded to standard error. */
const SHOW_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) process.stderr.write(url + "\\n");
      return next(url, context);
    },
  });
`)}`;

for (const option of ["--version", "-V"])
  test(`${option} loads no module of the database, of HTTP or of any command`, async () => {
    const line = ["--import", SHOW_MODULES, join(SRC, "main.ts"), option];

    const { stdout, stderr } = await promisify(execFile)(process.execPath, line);

    assert.equal(stdout, `${VERSION}\n`);
    const loaded = stderr.split("\n").filter((text) => text.startsWith("file:"));
    assert.deepEqual(
      loaded.map((url) => url.slice(url.lastIndexOf("/src/") + 5)),
      ["main.ts", "cli/program.ts"],
    );
  });
