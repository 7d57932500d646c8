/**
 * The conformance suite of the contract: a black box, by HTTP only. Without `CONTRACT_BASE_URL` it starts the program
 * itself.
 *
 * CONTRACT_BASE_URL       the service under test, without `/api/v1` CONTRACT_KEY            an operator key, or a key
 * with the scopes read and write of one empty catalog CONTRACT_READ_KEY       optional: a key of the same catalog with
 * the scope read only CONTRACT_PUBLIC_ORIGIN  the address under which the service reaches the suite's own feed server
 * and receiver CONTRACT_LISTEN         where that server listens; 127.0.0.1 and any free port unless set
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { CHECKS } from "./checks.ts";
import { closeConnections } from "./http-client.ts";
import { openHub } from "./hub.ts";
import { launch } from "./launcher.ts";
import { checkPage, checkRepositoryTests, checksOf } from "./page.ts";
import type { Result } from "./page.ts";
import { SENTENCES } from "./sentences.ts";
import { NotChecked, openSetUp } from "./set-up.ts";
import type { Target } from "./set-up.ts";

const parts = new AsyncDisposableStack();
after(async () => parts.disposeAsync());

const env = (name: string): string | undefined => process.env[`CONTRACT_${name}`] || undefined;

async function openTarget(): Promise<Target> {
  const baseUrl = env("BASE_URL");
  if (baseUrl === undefined) {
    const launched = parts.use(await launch());
    parts.defer(() => launched.errors().forEach((line) => console.error(line)));
    return launched;
  }
  const key = env("KEY");
  assert.ok(key, "CONTRACT_BASE_URL needs CONTRACT_KEY");
  const readOnlyKey = env("READ_KEY");
  return { baseUrl: baseUrl.replace(/\/$/, ""), key, ...(readOnlyKey && { readOnlyKey }) };
}

const target = await openTarget();
const [listen, publicOrigin] = [env("LISTEN"), env("PUBLIC_ORIGIN")];
const hub = parts.use(await openHub({ ...(listen && { listen }), ...(publicOrigin && { publicOrigin }) }));
// Disposed first: the program stops at once when no connection is open.
parts.defer(closeConnections);
const setUp = await openSetUp(target, hub);

const results = new Map<string, Result>();

/** All checks begin at once; those that must not disturb each other wait in the set-up. */
describe("the contract", { concurrency: CHECKS.length }, () => {
  for (const { id, title, run } of CHECKS) {
    test(`${id}: ${title}`, async (t) => {
      results.set(id, "fails");
      try {
        await run(setUp);
        results.set(id, "holds");
      } catch (error) {
        if (!(error instanceof NotChecked)) throw error;
        t.skip(error.message);
      }
    });
  }
});

test("every sentence has a number of its own and a proof, and every check has an id of its own and proves a sentence", () => {
  assert.equal(new Set(SENTENCES.map(({ id }) => id)).size, SENTENCES.length);
  assert.equal(new Set(CHECKS.map(({ id }) => id)).size, CHECKS.length);
  for (const { id, checks = [], tests = [] } of SENTENCES) assert.ok(checks.length + tests.length > 0, id);
  const proving = new Set(SENTENCES.flatMap((sentence) => checksOf(sentence, CHECKS)));
  assert.deepEqual(
    CHECKS.filter((check) => !proving.has(check)).map(({ id }) => id),
    [],
  );
});

test("every test of the repository that a sentence names exists", async () =>
  checkRepositoryTests(SENTENCES));

// The results of another installation are not those of this program.
const isOwn = env("BASE_URL") === undefined;
test("docs/contract.md has every sentence and every check", { skip: !isOwn }, async () =>
  checkPage(SENTENCES, CHECKS, results),
);
