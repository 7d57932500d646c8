/** The address of the API says what it is, to anyone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "./answer-data.ts";
import { assertProblem } from "./problem.ts";
import { runningApi } from "./running-api.ts";

test("GET /api/v1 names the service, its version and where to go on, without a key", async () => {
  await using api = await runningApi({ hasWorker: false });

  const answer = await api.ask("/api/v1");

  assert.equal(answer.status, 200, answer.text);
  const { name, api_version, links } = dataOf<{
    name: string;
    api_version: string;
    links: Readonly<Record<string, string>>;
  }>(answer);
  assert.deepEqual([name, api_version], ["Shelfwire", "1"]);
  const { docs = "", ...others } = links;
  assert.equal(new URL(docs).pathname, "/docs");
  for (const link of Object.values(others)) {
    const { pathname } = new URL(link);
    assert.equal((await api.ask(pathname)).status, 200, link);
  }
  assertProblem(await api.ask("/api/v1", { method: "POST" }), 405, "method_not_allowed");
});
