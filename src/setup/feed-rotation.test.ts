/** A rotation of feed URLs: the new token opens the feeds at once, the previous one until the overlap is over. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import { createEncryption } from "../lib/encryption.ts";
import { findCatalog, publishRender } from "../store/catalogs.ts";
import { findPublications, saveFeedFiles, listPublications } from "../store/feed-files.ts";
import { enqueueRun } from "../store/runs.ts";
import { createCatalog, decryptFeedToken, rotateFeedUrls } from "./catalogs.ts";

const encryption = createEncryption("a key for tests, long enough to be one");

test("both tokens open the feeds during the overlap, and only the new one after it", async () => {
  await using db = await freshDb();
  const { id: catalogId } = await createCatalog(db, encryption, {
    slug: "shop",
    name: "Shop",
    settings: { currency: "USD" },
  });
  const runId = newId();
  await enqueueRun(db, { id: runId, catalogId, sourceId: null, kind: "render", cause: "command" });
  await saveFeedFiles(db, runId, [
    {
      file: "gmc.tsv",
      folder: newId(),
      etag: "0",
      bytes: 1,
      gzipBytes: 1,
      changed: true,
      lastModified: new Date(),
      written: 1,
      excluded: 0,
      refused: 0,
    },
  ]);
  await publishRender(db, catalogId, { runId, staleAt: null });
  const hash = async () => {
    const catalog = await findCatalog(db, catalogId);
    const token = decryptFeedToken(encryption)(catalog?.feedTokenEncrypted ?? Buffer.alloc(0));
    return createHash("sha256").update(token).digest();
  };
  const opens = async (hashed: Buffer) => {
    const [found] = await findPublications(db, ["shop"]);
    return found?.tokenHash.equals(hashed) || found?.previousTokenHash?.equals(hashed) === true;
  };

  const first = await hash();
  const { previousUntil } = await rotateFeedUrls(db, encryption, { catalogId, overlapS: 3600 });
  const second = await hash();
  const during = [await opens(first), await opens(second)];
  const [publication] = await listPublications(db, catalogId);
  await rotateFeedUrls(db, encryption, { catalogId, overlapS: 0 });
  const third = await hash();

  assert.ok(previousUntil > new Date());
  assert.deepEqual(during, [true, true]);
  assert.ok(publication?.tokenHash.equals(second) && publication.previousTokenHash?.equals(first));
  assert.deepEqual([await opens(first), await opens(second), await opens(third)], [false, false, true]);
  await assert.rejects(rotateFeedUrls(db, encryption, { catalogId, overlapS: 91 * 86_400 }), /90 days/);
  await assert.rejects(
    rotateFeedUrls(db, encryption, { catalogId: newId(), overlapS: 0 }),
    /no such catalog/,
  );
});
