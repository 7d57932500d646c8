import assert from "node:assert/strict";
import { test } from "node:test";
import { googleTaxonomy, pathKey } from "./google-category.ts";

const { byId, hasPath, roots, version } = googleTaxonomy();

test("the taxonomy of 2021-09-21 has 5,595 categories below 21 roots, one of them with a UK name", () => {
  assert.equal(version, "2021-09-21");
  assert.equal(byId.size, 5_595);
  assert.equal([...byId.values()].filter((mark) => mark === "root").length, 21);
  assert.equal(roots.size, 22);
});

test("the names of the roots are paths, too", () => {
  for (const root of roots) assert.ok(hasPath(root), root);
  assert.ok(!hasPath("unicorns"));
});

test("a path is compared without regard to case, spaces and escaped ampersands", () => {
  assert.equal(
    pathKey(" Home &amp; Garden>Lighting  >  Night\tLights "),
    "home & garden>lighting>night lights",
  );
});
