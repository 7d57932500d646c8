/**
 * Plans a render that keeps what has not changed: which groups are rendered anew, and which segments of the previous index must be
 * read for that. All others are kept without being read.
 */
import {
  type Auditor,
  canRestrict,
  type EarlierGroup,
  openAudit,
  placeOf,
  type PreviousAudit,
} from "../../audit/audit.ts";
import type { AuditContext } from "../../audit/audit-context.ts";
import { areSameLookups, eachKeyHash, lookupKeys } from "../../audit/catalog-tables.ts";
import type { ItemGroup } from "../../catalog/item.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { changesSince } from "../../store/item-changes.ts";
import { listBySortKey } from "../../store/items.ts";
import { findChangedGroups, TooManyChanges } from "./changed-groups.ts";
import { OpenIndex, readChecked } from "./compare-indexes.ts";
import type { DirectoryRecord } from "./index-directory.ts";
import type { IndexEntry } from "./index-entry.ts";
import { type StoredGroup, StoredGroupBuilder } from "./item-groups.ts";
import { INDEX_OUTCOMES_FILE, type IndexInfo } from "./render-index.ts";

/** The render whose parts are kept. */
export type Previous = {
  readonly catalogId: string;
  readonly folder: string;
  readonly info: IndexInfo;
};

export type ChangePlan = {
  readonly previous: Previous;
  /** The sort keys of the groups that have changed, or that time has changed, in feed order. */
  readonly keys: readonly Buffer[];
  /** By the segments of the index: whether its entries are visited. */
  readonly isVisited: readonly boolean[];
  /** See `RenderPass`. */
  readonly lookupsLike: ReadonlyMap<string, Buffer>;
  readonly audit: PreviousAudit;
  readonly comparedAt: string;
};

/** A share of the groups that makes it not worthwhile to keep the others. */
const MAX_SHARE = 0.25;
const ALWAYS_ALLOWED = 1_000;
/** Of so few groups it is found out what the audit looks up, so that only segments with the same lookups are visited. */
const MAX_TRIED = 200;
/** The items of groups that are read together are in memory at once. */
const MAX_ITEMS = 50_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

type Connections = { readonly session: Session; readonly tx: Queries };
type Now = { readonly catalog: Catalog; readonly context: AuditContext };

/** On a connection with a snapshot. Throws `TooManyChanges` or `DamagedFile` if everything must be rendered. */
export async function planChanges(
  { session, tx }: Connections,
  folders: FeedFolders,
  previous: Previous,
  { catalog, context }: Now,
): Promise<ChangePlan> {
  const { info } = previous;
  const { catalogId, folder } = previous;
  const outcomes = await readChecked(folders, { catalogId, folder, file: INDEX_OUTCOMES_FILE }, info.crcs);
  await using index = await OpenIndex.open(folders, previous, info);
  const limit = Math.max(ALWAYS_ALLOWED, info.totals.groups * MAX_SHARE);
  const now = context.asOf.getTime();
  const isOld = now - Date.parse(info.compared_at) > DAY_MS;
  const logged = isOld ? undefined : await changesSince(tx, catalog.id, info.snapshot);
  const changed =
    logged?.map((key) => Buffer.from(key)) ??
    (await findChangedGroups(session, catalog.id, { entries: allEntries(index), limit }));
  const keys = distinct([...changed, ...(await dueKeys(index, now))]);
  if (keys.length > limit) throw new TooManyChanges("too many groups have changed");
  const places = segmentsOf(index.directory, keys);
  const tried = await tryAudit(session, { catalog, context, info, index }, { keys, places });
  const { affected, lookupsLike } = tried ?? { affected: null, lookupsLike: new Map() };
  return {
    previous,
    keys,
    isVisited: index.directory.map(
      (record, at) => at === 0 || places.has(at) || record.setsCurrency || looksUp(record, affected),
    ),
    lookupsLike,
    audit: {
      examples: info.examples,
      tableKeys: info.table_keys,
      outcomes,
      affected: affected && keysOf(affected),
    },
    comparedAt: logged ? info.compared_at : context.asOf.toISOString(),
  };
}

async function* allEntries(index: OpenIndex): AsyncGenerator<readonly IndexEntry[]> {
  for (const at of index.directory.keys()) yield index.entriesAt(at);
}

/** The groups of which time alone has changed a row or a verdict. */
async function dueKeys(index: OpenIndex, now: number): Promise<readonly Buffer[]> {
  const isDue = (one: { readonly staleMs: number; readonly sameUntilMs: number }): boolean =>
    (one.staleMs !== 0 && one.staleMs <= now) || (one.sameUntilMs !== 0 && one.sameUntilMs <= now);
  const keys: Buffer[] = [];
  for (const [at, record] of index.directory.entries()) {
    if (!isDue(record)) continue;
    for (const entry of await index.entriesAt(at)) if (isDue(entry)) keys.push(Buffer.from(entry.sortKey));
  }
  return keys;
}

function distinct(keys: readonly Buffer[]): readonly Buffer[] {
  return keys
    .toSorted((a, b) => Buffer.compare(a, b))
    .filter((key, at, all) => at === 0 || !key.equals(all[at - 1] ?? key.subarray(0, 0)) || key.length === 0);
}

/** The segments in which the groups with these keys are or would be. Both are in feed order. */
function segmentsOf(directory: readonly DirectoryRecord[], keys: readonly Buffer[]): ReadonlySet<number> {
  const segments = new Set<number>();
  let at = 0;
  for (const key of keys) {
    while (at + 1 < directory.length && isUpTo(directory[at + 1], key)) at += 1;
    // The parts of a large group may be in several segments.
    for (let part = at; part >= 0; part -= 1) {
      segments.add(part);
      if (directory[part]?.firstKey.equals(key) !== true) break;
    }
  }
  return segments;
}

const isUpTo = (record: DirectoryRecord | undefined, key: Buffer): boolean =>
  record !== undefined && Buffer.compare(record.firstKey, key) <= 0;

type Tried = {
  /** By the key of a lookup, its hashes. */
  readonly affected: ReadonlyMap<string, readonly [number, number]>;
  readonly lookupsLike: ReadonlyMap<string, Buffer>;
};

/** What changed groups look up now and looked up before; null if there are too many. */
async function tryAudit(
  session: Session,
  { catalog, context, info, index }: Now & { readonly info: IndexInfo; readonly index: OpenIndex },
  { keys, places }: { readonly keys: readonly Buffer[]; readonly places: ReadonlySet<number> },
): Promise<Tried | null> {
  if (keys.length > MAX_TRIED) return null;
  const before = await lookupsBefore(index, keys, places);
  const trial = openAudit(context);
  const affected = new Map<string, readonly [number, number]>();
  const lookupsLike = new Map<string, Buffer>();
  const add = (lookups: Buffer): void => {
    const hashes: (readonly [number, number])[] = [];
    eachKeyHash(lookups, (first, second) => hashes.push([first, second]));
    for (const [at, key] of [...lookupKeys(lookups)].entries()) affected.set(key, hashes[at] ?? [0, 0]);
  };
  for (const { group } of await readGroups(session, catalog.id, keys)) {
    const now = lookupsOf(trial, group);
    if (!now) return null;
    const place = placeOf(group);
    const earlier = before.get(place);
    before.delete(place);
    if (earlier && areSameLookups(earlier, now)) lookupsLike.set(place, earlier);
    else for (const lookups of [now, earlier]) if (lookups) add(lookups);
  }
  // Groups that no longer exist.
  for (const lookups of before.values()) add(lookups);
  return canRestrict({ tableKeys: info.table_keys }, affected.size) ? { affected, lookupsLike } : null;
}

/** Null for a part of a large group, and if a rule cannot evaluate the group: then the audit fails, but not the render. */
function lookupsOf(trial: Auditor, group: ItemGroup): Buffer | null {
  if (!group.isWhole) return null;
  try {
    trial.group(group);
    return Buffer.from(trial.record().lookups);
  } catch {
    return null;
  }
}

/** By place. The parts of a large group have one place, and the lookups of them all. */
async function lookupsBefore(
  index: OpenIndex,
  keys: readonly Buffer[],
  places: ReadonlySet<number>,
): Promise<Map<string, Buffer>> {
  const wanted = new Set(keys.map(String));
  const before = new Map<string, Buffer>();
  for (const at of places)
    for (const entry of await index.entriesAt(at)) {
      if (!wanted.has(entry.sortKey.toString())) continue;
      const place = placeOfEntry(entry);
      before.set(place, Buffer.concat([before.get(place) ?? Buffer.alloc(0), entry.lookups]));
    }
  return before;
}

/** As `placeOf` has it. */
export const placeOfEntry = ({ sortKey, isGrouped }: Pick<IndexEntry, "sortKey" | "isGrouped">): string =>
  isGrouped ? sortKey.toString() : `${sortKey.toString()}\0`;

export const earlierOf = (entry: IndexEntry): EarlierGroup => ({
  place: placeOfEntry(entry),
  lookups: entry.lookups,
  outcomes: entry.outcomes,
});

export async function readGroups(
  session: Session,
  catalogId: string,
  sortKeys: readonly Buffer[],
): Promise<readonly StoredGroup[]> {
  const builder = new StoredGroupBuilder();
  const rows = await listBySortKey(session, catalogId, sortKeys.map(String), MAX_ITEMS + 1);
  if (rows.length > MAX_ITEMS) throw new TooManyChanges("very large groups have changed");
  return [...builder.add(rows), ...builder.end()];
}

function looksUp(record: DirectoryRecord, affected: Tried["affected"] | null): boolean {
  if (!affected) return true;
  for (const [first, second] of affected.values()) if (record.mayLookUp(first, second)) return true;
  return false;
}

const keysOf = (affected: Tried["affected"]): ReadonlySet<string> => new Set(affected.keys());
