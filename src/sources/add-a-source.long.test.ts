/** The example of docs/add-a-source.md, as a reader would write it down: its contract test runs in this process. */
import assert from "node:assert/strict";
import { docExample } from "../../test/doc-example.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const example = closeAfterTests(await docExample("docs/add-a-source.md"));
assert.deepEqual(example.paths, [
  "src/sources/toy/toy.ts",
  "test/fakes/toy-shop.ts",
  "src/sources/toy/toy.contract.test.ts",
]);
await example.import("src/sources/toy/toy.contract.test.ts");
