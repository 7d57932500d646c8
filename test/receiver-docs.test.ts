/**
 * What `docs/webhooks/verify.md` says to people who verify without our package: each language's code is run on every
 * golden vector, where the language is installed. Its code with the package is run by the package's own tests.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { Stripe } from "stripe";
import { readVectors } from "../receiver/test/vectors.ts";
import {
  assertAgrees,
  type Command,
  programsIn,
  readPage,
  runIn,
  writePrograms,
} from "../receiver/test/verify-page.ts";

type Language = {
  /** Answers whether the language is there. */
  readonly probe: Command;
  readonly build?: Command;
  readonly run: Command;
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  node: { probe: [process.execPath, "--version"], run: [process.execPath, "check.mjs"] },
  python: { probe: ["python3", "--version"], run: ["python3", "check.py"] },
  php: { probe: ["php", "--version"], run: ["php", "check.php"] },
  go: {
    probe: ["go", "version"],
    build: ["go", "build", "-o", "check", "verify.go", "check.go"],
    run: ["./check"],
  },
  ruby: { probe: ["ruby", "--version"], run: ["ruby", "check.rb"] },
};

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "shelfwire-verify-"));
  await writePrograms(folder);
});

after(() => rm(folder, { recursive: true }));

function isMissing([command, ...args]: Command): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status !== 0;
}

for (const [name, { probe, build, run }] of Object.entries(LANGUAGES)) {
  const skip = isMissing(probe) && `${probe[0]} is not installed: this code was not run`;

  test(`the ${name} code in verify.md agrees with every vector`, { skip }, async () => {
    const home = join(folder, name);
    if (build !== undefined) assert.deepEqual(await runIn(home, build), { status: 0, lines: [], stderr: "" });

    await assertAgrees(home, run);
  });
}

test("every block of code in verify.md belongs to a program that is run", async () => {
  const page = await readPage();
  const named = [...programsIn(page).keys()];

  const blocks = page.match(/^```\w+$/gm) ?? [];

  assert.equal(blocks.length, named.length);
  assert.deepEqual(
    new Set(named.map((file) => dirname(file))),
    new Set(["package", ...Object.keys(LANGUAGES)]),
  );
});

test("the header shown in verify.md is that of a valid vector", async () => {
  const vectors = await readVectors();

  const [, shown] = /^X-Service-Signature: (.+)$/m.exec(await readPage()) ?? [];

  assert.equal(vectors.find(({ header }) => header === shown)?.valid, true);
});

test("Stripe's SDK accepts every valid vector and refuses every mismatch, as verify.md says", async () => {
  const { signature } = new Stripe("sk_test_unused").webhooks;
  const accepts = ({ body = "", header, secret, now }: Awaited<ReturnType<typeof readVectors>>[number]) => {
    try {
      return signature?.verifyHeader(body, header, secret, 300, undefined, now * 1000);
    } catch {
      return false;
    }
  };

  // It takes text only, and reads malformed headers in its own way.
  const asText = (await readVectors()).filter(({ body }) => body !== undefined);
  const valid = asText.filter((vector) => vector.valid);
  const mismatched = asText.filter(({ code }) => code === "signature_mismatch");

  assert.deepEqual(
    valid.filter((vector) => !accepts(vector)),
    [],
  );
  assert.deepEqual(mismatched.filter(accepts), []);
  assert.ok(valid.length > 5 && mismatched.length > 5);
});
