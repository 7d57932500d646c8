/** What a release consists of, made for real. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { tempDir } from "../fresh.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

type Bom = {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly object[];
  }[];
};

test("a release has package, bill of materials, files of the image and checksums, equal in two builds", {
  timeout: 600_000,
}, async () => {
  await using folder = await tempDir();
  const lines = await run(process.execPath, ["tools/release.ts", "--out", folder.path], { cwd: ROOT });
  assert.match(lines.stdout, /Two builds are identical\./);
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
  const archive = `shelfwire-${version}.tgz`;

  assert.deepEqual((await readdir(folder.path)).toSorted(), [
    "SHA256SUMS",
    "image-files.txt",
    "sbom.cdx.json",
    archive,
  ]);
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: folder.path });

  const { stdout } = await run("tar", ["-tzf", archive], { cwd: folder.path });
  for (const path of ["dist/main.js", "console/dist/index.html", "deploy/monitoring/alerts.yaml"])
    assert.ok(stdout.includes(`package/${path}\n`), path);

  const bom = JSON.parse(await readFile(join(folder.path, "sbom.cdx.json"), "utf8")) as Bom;
  assert.deepEqual([bom.bomFormat, bom.metadata.component.name], ["CycloneDX", "shelfwire"]);
  const names = new Set(bom.components.map(({ name }) => name));
  for (const name of ["pino", "preact", "swagger-ui-dist"]) assert.ok(names.has(name), name);
  for (const name of ["esbuild", "typescript", "@scarf/scarf"]) assert.ok(!names.has(name), name);
  for (const { name, hashes = [] } of bom.components) assert.equal(hashes.length, 1, name);

  const image = (await readFile(join(folder.path, "image-files.txt"), "utf8")).trimEnd().split("\n");
  const paths = new Set(image.map((line) => line.split("  ")[0]));
  for (const path of ["/app/bin/shelfwire.mjs", "/app/dist/main.js", "/app/console/dist/index.html"])
    assert.ok(paths.has(path), path);
  assert.ok(paths.has("/app/node_modules/pino/"));
  for (const line of image) {
    assert.match(line, /^\/app\/\S+ {2}(sha256:[0-9a-f]{64}|\S+ sha512-\S+)$/);
    assert.doesNotMatch(
      line,
      /\.test\.|node_modules\/(esbuild|@scarf|swagger-ui-dist|node-linux|typescript)\b/,
    );
  }
});
