/**
 * The programs in `docs/webhooks/verify.md`, taken out of the page and run on the golden vectors as a reader would. A
 * second run on vectors with inverted results must fail on each, so that a program that checks nothing is detected.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readVectors, VECTORS_PATH } from "./vectors.ts";

export type Command = readonly [string, ...string[]];

type Outcome = { readonly status: number; readonly lines: readonly string[]; readonly stderr: string };

export function readPage(): Promise<string> {
  return readFile(join(dirname(VECTORS_PATH), "verify.md"), "utf8");
}

/** File name to code, for every block that is announced by `<!-- file: … -->`. */
export function programsIn(page: string): Map<string, string> {
  const blocks = page.matchAll(/^<!-- file: (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm);
  return new Map(Array.from(blocks, ([, file = "", code = ""]) => [file, code]));
}

/** Writes the page's programs below `target`, each language in its folder, and the inverted vectors next to them. */
export async function writePrograms(target: string): Promise<void> {
  for (const [file, code] of programsIn(await readPage())) {
    const path = join(target, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
  const turned = (await readVectors()).map((vector) => ({
    ...vector,
    valid: !vector.valid,
    code: vector.code === null ? "turned round" : null,
  }));
  await writeFile(join(target, "turned.json"), JSON.stringify({ vectors: turned }));
}

export function runIn(folder: string, [command, ...args]: Command): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  execFile(command, args, { cwd: folder }, (error, stdout, stderr) => {
    const status = error === null ? 0 : Number(error.code ?? -1);
    resolve({ status, lines: stdout.split("\n").filter((line) => line !== ""), stderr });
  });
  return promise;
}

export async function assertAgrees(folder: string, command: Command): Promise<void> {
  const names = (await readVectors()).map(({ name }) => name);

  const onGolden = await runIn(folder, [...command, VECTORS_PATH]);
  const onTurned = await runIn(folder, [...command, join("..", "turned.json")]);

  assert.deepEqual(onGolden, { status: 0, lines: names.map((name) => `ok   ${name}`), stderr: "" });
  assert.deepEqual(onTurned, { status: 1, lines: names.map((name) => `FAIL ${name}`), stderr: "" });
}
