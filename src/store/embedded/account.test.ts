import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { canEnter, foldersTo } from "./account.ts";

test("the first class that matches decides the permission: owner, then group, then others", () => {
  const account = { uid: 65_534, gid: 65_534 };

  assert.equal(canEnter({ uid: 0, gid: 0, mode: 0o40711 }, account), true);
  assert.equal(canEnter({ uid: 0, gid: 0, mode: 0o40750 }, account), false);
  assert.equal(canEnter({ uid: 0, gid: 65_534, mode: 0o40750 }, account), true);
  assert.equal(canEnter({ uid: 0, gid: 65_534, mode: 0o40701 }, account), false);
  assert.equal(canEnter({ uid: 65_534, gid: 0, mode: 0o40700 }, account), true);
  assert.equal(canEnter({ uid: 65_534, gid: 65_534, mode: 0o40077 }, account), false);
});

test("the folders to a path begin at the root, end at the path, and each contains the next", () => {
  const name = fc.stringMatching(/^[a-z .]*[a-z]$/);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 6 }), (names) => {
      const folders = foldersTo(`/${names.join("/")}`);
      assert.equal(folders.length, names.length + 1);
      assert.equal(folders[0], "/");
      for (const [i, part] of names.entries()) {
        assert.equal(folders[i + 1], i === 0 ? `/${part}` : `${folders[i]}/${part}`);
      }
    }),
  );
});
