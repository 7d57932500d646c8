/** The directory finds every key, also in a segment that was kept and continued. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eachKeyHash } from "../../audit/catalog-tables.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { decodeDirectory, type DirectoryEntry, DirectoryWriter } from "./index-directory.ts";

const entry = (key: string, lookups: Buffer): DirectoryEntry => ({
  sortKey: Buffer.from(key),
  lookups,
  files: FEED_FILES.map(() => ({ bytes: 10, written: 1 })),
  searchBytes: 5,
  refusalBytes: 0,
  bytes: 100,
  staleMs: 0,
  sameUntilMs: 0,
});

/** A lookup of a GTIN. */
const LOOKUPS = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8]);

test("a segment without lookups that is kept and continued finds the lookups that were added", () => {
  const first = new DirectoryWriter();
  first.add(entry("a", Buffer.alloc(0)));
  first.end();
  const [kept] = decodeDirectory(first.encode());
  assert.ok(kept);

  const second = new DirectoryWriter();
  second.keep(kept);
  second.add(entry("b", LOOKUPS));
  second.end();

  const [continued] = decodeDirectory(second.encode());
  assert.equal(continued?.bytes, 200);
  eachKeyHash(LOOKUPS, (one, other) => assert.ok(continued?.mayLookUp(one, other)));
  assert.equal(kept.bytes, 100, "the record of the earlier directory has changed");
});
