/**
 * The contract suite on a catalog whose keys it lacks: such a check is reported as not checked, and never as passed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runningApi } from "./api/running-api.ts";
import { closeAfterTests } from "./close-after.ts";
import { ACCESS } from "./contract/checks/access.ts";
import { closeConnections } from "./contract/http-client.ts";
import { openHub } from "./contract/hub.ts";
import { NotChecked, openSetUp } from "./contract/set-up.ts";

const api = closeAfterTests(await runningApi());

test("without a key of one scope, the checks of that scope say that they were not made", async () => {
  await using hub = await openHub({});
  const { key } = await api.openShop();
  const setUp = await openSetUp({ baseUrl: api.url, key }, hub);

  for (const [id, sentence] of Object.entries({
    "access-read": /^Not checked: .* Set CONTRACT_READ_KEY, or an operator key\.$/,
    "access-write": /^Not checked: .* Set an operator key\.$/,
  })) {
    const check = ACCESS.find((one) => one.id === id) ?? assert.fail(id);
    await assert.rejects(
      async () => check.run(setUp),
      (error) => error instanceof NotChecked && sentence.test(error.message),
    );
  }
  closeConnections();
});
