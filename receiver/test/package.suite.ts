/** The package as users get it: built, installed, loaded as ESM and CommonJS, and type checked. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import ts from "typescript";
import { installed } from "./installed.ts";
import { assertAgrees, writePrograms } from "./verify-page.ts";

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, "..");

const LOADERS = {
  "loaded.mjs": (from: string) => `import * as loaded from "${from}";`,
  "loaded.cjs": (from: string) => `const loaded = require("${from}");`,
};

for (const [file, load] of Object.entries(LOADERS)) {
  test(`a program loads the built package as ${file} and a delivery verifies`, async () => {
    const path = join(installed.folder, file);
    await writeFile(
      path,
      `${load("@shelfwire/receiver")}
      const body = JSON.stringify({ event: "webhook.test", created_at: "", data: {} });
      const event = loaded.verify(body, loaded.sign(body, "whsec_a"), "whsec_a");
      let code;
      try { loaded.verify(body, loaded.sign(body, "whsec_b"), "whsec_a"); }
      catch (error) { code = error instanceof loaded.SignatureError && error.name + " " + error.code; }
      console.log(JSON.stringify([Object.keys(loaded).filter((name) => !/^__|^module/.test(name)).sort(), event.event, code]));`,
    );

    const { stdout } = await run(process.execPath, [path]);

    assert.deepEqual(JSON.parse(stdout), [
      ["SignatureError", "sign", "signStandard", "verify"],
      "webhook.test",
      "SignatureError signature_mismatch",
    ]);
  });

  test(`a program loads the built web entry point as ${file}`, async () => {
    const path = join(installed.folder, `web-${file}`);
    await writeFile(
      path,
      `${load("@shelfwire/receiver/web")}
      loaded.verifyAsync("{}", "t=1,v1=" + "0".repeat(64), "whsec_a").catch((error) => console.log(error.code));`,
    );

    const { stdout } = await run(process.execPath, [path]);

    assert.equal(stdout, "timestamp_out_of_tolerance\n");
  });
}

test("the code in verify.md that uses the package agrees with every vector", async () => {
  await writePrograms(installed.folder);

  await assertAgrees(join(installed.folder, "package"), [process.execPath, "check.mjs"]);
});

for (const format of ["esm", "cjs"]) {
  test(`the ${format} web entry point imports no Node module or package`, async () => {
    const files = new Set([join(installed.receiver, "dist", format, "web.js")]);

    for (const file of files) {
      for (const { fileName } of ts.preProcessFile(await readFile(file, "utf8"), true, true).importedFiles) {
        assert.match(fileName, /^\.\//, `${file} imports ${fileName}`);
        files.add(join(dirname(file), fileName));
      }
    }

    assert.ok(files.has(join(installed.receiver, "dist", format, "verify-async.js")));
  });
}

test("the package depends on nothing, and every file its manifest names is there", async () => {
  const manifest = JSON.parse(await readFile(join(installed.receiver, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;

  const named = JSON.stringify([manifest["main"], manifest["types"], manifest["exports"]]).match(
    /"\.\/[^"]+\.[a-z]+"/g,
  );

  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"]) {
    assert.equal(manifest[kind], undefined);
  }
  assert.equal(named?.includes('"./dist/esm/index.d.ts"'), true);
  for (const path of named ?? []) await access(join(installed.receiver, JSON.parse(path) as string));
});

/** A user's program: what must compile, and under `@ts-expect-error` what must not. */
const CONSUMER = `
  import { type EventOf, SignatureError, verify, type WebhookEvent } from "@shelfwire/receiver";
  import { verifyAsync } from "@shelfwire/receiver/web";

  const event: WebhookEvent = verify(new Uint8Array(), undefined, ["a", "b"], { toleranceS: 60, now: new Date() });
  const later: Promise<WebhookEvent> = verifyAsync(new ArrayBuffer(1), null, "a");
  export const all: readonly unknown[] = [later];

  if (event.event === "audit.completed") {
    const score: number = event.data.catalog_score;
    const grade: "A" | "B" | "C" | "D" | "F" = event.data.grade;
    // @ts-expect-error -- it belongs to another event
    event.data.feeds;
    console.log(score, grade);
  }

  export function describe(event: WebhookEvent): string {
    switch (event.event) {
      case "sync.completed":
        return event.data.source_id ?? String(event.data.stats.rejections[0]?.message);
      case "feeds.rendered":
        return event.data.feeds.map((feed) => feed.etag).join();
      case "audit.completed":
        return String(event.data.previous_score ?? event.data.items);
      case "shelfwire.sync.failed":
      case "shelfwire.render.failed":
      case "shelfwire.delivery.failed":
        return event.data.error.message;
      case "shelfwire.render.held":
        return event.data.exceeded.map(({ message }) => message).join();
      case "webhook.test":
        return event.data.message;
      default: {
        const name: string = event.event;
        if (name === "sale.started") return "handled before the package knew it";
        const anything: unknown = event.data["anything"];
        // @ts-expect-error -- nothing is known of an unknown event's data
        const text: string = event.data["anything"];
        return name + String(anything) + text;
      }
    }
  }

  export function onSync({ data }: EventOf<"sync.completed">): number {
    return data.stats.seen;
  }

  // @ts-expect-error -- a parsed body is no raw body
  verify({ event: "sync.completed" }, "", "a");

  try {
    verify("", "", "a");
  } catch (error) {
    if (error instanceof SignatureError && error.code === "signature_mismatch") console.log(error.message);
    // @ts-expect-error -- there is no such code
    if (error instanceof SignatureError && error.code === "other") console.log(error.message);
  }
`;

for (const [title, files, moduleResolution] of [
  ["Node's ESM and CommonJS", ["consumer.mts", "consumer.cts"], ts.ModuleResolutionKind.NodeNext],
  ["a bundler", ["bundled.ts"], ts.ModuleResolutionKind.Bundler],
] as const) {
  test(`the declarations compile in a strict program for ${title}, without Node's types`, async () => {
    const paths = files.map((file) => join(installed.folder, file));
    for (const path of paths) {
      await writeFile(path, `${CONSUMER}declare const console: { log(...values: unknown[]): void };`);
    }

    const program = ts.createProgram(paths, {
      moduleResolution,
      module:
        moduleResolution === ts.ModuleResolutionKind.Bundler ? ts.ModuleKind.ESNext : ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2022.d.ts"],
      types: [],
      // Those of the language are not ours to check.
      skipDefaultLibCheck: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
    });

    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    assert.deepEqual(problems, []);
  });
}

test("every excerpt in the README is literally in the example it names", async () => {
  const readme = await readFile(join(PACKAGE, "README.md"), "utf8");
  const excerpts = [...readme.matchAll(/^<!-- from: (\S+) -->\n```js\n([\s\S]*?)^```$/gm)];

  for (const [, file = "", code = ""] of excerpts) {
    const example = await readFile(join(PACKAGE, "examples", file), "utf8");
    assert.ok(example.includes(code), `${file} differs from the README`);
  }

  assert.deepEqual(
    [...new Set(excerpts.map(([, file]) => file))],
    ["express.mjs", "fastify.mjs", "fetch-handler.mjs"],
  );
});

test("the README lists exactly the codes that the package has", async () => {
  const readme = await readFile(join(PACKAGE, "README.md"), "utf8");
  const source = await readFile(join(PACKAGE, "src", "signature-error.ts"), "utf8");

  const listed = Array.from(readme.matchAll(/^\| `([a-z]+_[a-z_]+)` \|/gm), ([, code]) => code);
  const declared = Array.from(source.matchAll(/^ {2}\| "([a-z_]+)"/gm), ([, code]) => code);

  assert.equal(declared.length, 5);
  assert.deepEqual(listed, declared);
});
