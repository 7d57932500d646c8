/**
 * The groups that the last pass over a catalog has read. Extractors are deterministic, so a group that is found here, in the
 * same context, would get the same proposals again. Memory: 27 bytes for each group.
 */
import { createHash, hash } from "node:crypto";
import type { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import type { ExtractorContext } from "../../enrich/extractors/extractor.ts";
import { EXTRACTORS } from "../../enrich/extractors/registry.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import {
  beginPass,
  eachPassPart,
  endPass,
  findPass,
  GROUP_HASH_BYTES,
  savePassPart,
} from "../../store/proposal-passes.ts";
import type { StoredGroup } from "../render/item-groups.ts";
import { KnownHashes } from "../../lib/known-hashes.ts";

/** Raise it when the same group in the same context may get other proposals, with the same versions of the extractors. */
const VERSION = 1;

/** Everything besides the groups themselves. With the day: whatever depends on the clock is looked at every day. */
export function contextHash(
  { settings }: Catalog,
  { facts, uncategorized = new Set() }: ExtractorContext,
  { paths, now }: { readonly paths: CategoryPaths; readonly now: Date },
): Buffer {
  const extractors = EXTRACTORS.map(({ id, version }) => [id, version]);
  const day = now.toISOString().slice(0, "2026-01-01".length);
  const context = createHash("sha256").update(JSON.stringify([VERSION, day, extractors, settings]));
  for (const fact of Object.values(facts))
    context.update(
      JSON.stringify(fact instanceof Map ? [...(fact as Map<string, unknown>)] : (fact ?? null)),
    );
  context.update(JSON.stringify([...uncategorized].toSorted()));
  // What a category is suggested by. Numbers of items only put the paths in order.
  for (const { path, titles } of paths.list()) context.update(JSON.stringify([path, titles]));
  return context.digest();
}

/** The items as they are and as their sources have them, what the audit found in them, and whether these are all of the group. */
export function groupHash(
  { group: { items, isWhole }, fingerprints, sources }: StoredGroup,
  verdicts: ReadonlyMap<string, Buffer | null>,
): Buffer {
  const texts = items.map(({ id }, at) => [
    id,
    ...[fingerprints[at], sources[at], verdicts.get(id)].map((bytes) => bytes?.toString("base64")),
  ]);
  return hash("sha256", JSON.stringify([isWhole, texts]), "buffer").subarray(0, GROUP_HASH_BYTES);
}

const HASHES_PER_PART = 32_768;

/** In catalogs with more groups nothing is skipped. */
const MAX_GROUPS = 2_000_000;

export class ReadGroups {
  private readonly db: Db;
  private readonly catalogId: string;
  private readonly runId: string;
  private readonly known: KnownHashes | undefined;
  private readonly context: Buffer;
  private readonly part = Buffer.allocUnsafe(HASHES_PER_PART * GROUP_HASH_BYTES);
  private inPart = 0;
  private parts = 0;
  private groups = 0;

  private constructor(place: Place, known: KnownHashes | undefined) {
    this.db = place.db;
    this.catalogId = place.catalogId;
    this.runId = place.runId;
    this.context = place.context;
    this.known = known;
  }

  /** With `isComplete` nothing is skipped. */
  static async open(place: Place, { isComplete }: { readonly isComplete: boolean }): Promise<ReadGroups> {
    const { db, catalogId, runId } = place;
    const known = isComplete ? undefined : await loadKnown(place);
    // If this pass does not end, proposals are of two passes, and nothing may be skipped.
    await beginPass(db, catalogId, runId);
    return new ReadGroups(place, known);
  }

  isKnown(group: Buffer): boolean {
    return this.known?.has(group) ?? false;
  }

  async add(group: Buffer): Promise<void> {
    group.copy(this.part, this.inPart * GROUP_HASH_BYTES);
    this.inPart += 1;
    this.groups += 1;
    if (this.inPart === HASHES_PER_PART) await this.flush();
  }

  async end(): Promise<void> {
    if (this.inPart > 0) await this.flush();
    const { db, catalogId, runId, context, groups } = this;
    await db.tx(async (tx) => endPass(tx, catalogId, { runId, context, groups }));
  }

  private async flush(): Promise<void> {
    const { db, catalogId, runId } = this;
    const hashes = this.part.subarray(0, this.inPart * GROUP_HASH_BYTES);
    await savePassPart(db, { catalogId, runId, part: this.parts }, hashes);
    this.parts += 1;
    this.inPart = 0;
  }
}

/** The groups of the last pass; undefined if its context was another one. */
async function loadKnown({ db, catalogId, context }: Place): Promise<KnownHashes | undefined> {
  const last = await findPass(db, catalogId);
  if (!last?.context?.equals(context) || last.groups > MAX_GROUPS) return undefined;
  const known = new KnownHashes(last.groups);
  for await (const part of eachPassPart(db, catalogId, last.runId))
    for (let at = 0; at < part.length; at += GROUP_HASH_BYTES)
      known.add(part.subarray(at, at + GROUP_HASH_BYTES));
  return known;
}

type Place = {
  readonly db: Db;
  readonly catalogId: string;
  readonly runId: string;
  readonly context: Buffer;
};
