/**
 * A render that keeps what has not changed since the last one: the bytes of its groups in every file, and the findings of
 * the audit. The result is the same as that of a complete render, byte for byte.
 */
import { syncStateOf, type AuditContext } from "../../audit/audit-context.ts";
import { MarketChanged } from "../../audit/catalog-tables.ts";
import { RULESET } from "../../audit/ruleset.ts";
import { FEED_FILES, RENDERER_VERSION } from "../../channels/registry.ts";
import type { FeedFolders } from "../../publish/local-files.ts";
import { SEGMENTS_VERSION } from "../../publish/segments.ts";
import { DamagedFile } from "../../publish/stored-files.ts";
import type { NewestAudit } from "../../store/audits.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Session } from "../../store/db.ts";
import { listBySortKey } from "../../store/items.ts";
import { type ChangedGroup, findChangedGroups, TooManyChanges } from "./changed-groups.ts";
import { RefusalReader } from "./refusal-reader.ts";
import { REFUSALS_FILE } from "./refusal-report.ts";
import { type StoredGroup, StoredGroupBuilder } from "./item-groups.ts";
import { readIndexInfo } from "./compare-indexes.ts";
import { readEntries } from "./index-entry.ts";
import { canKeepTexts, keepGroup, skipGroup } from "./kept-groups.ts";
import { drain, type RenderPass, writeGroups } from "./pass.ts";
import { type GroupEntry, INDEX_FILE, INDEX_VERSION, type IndexInfo } from "./render-index.ts";
import { sortKeyOf } from "./segment-starts.ts";

export type Previous = {
  readonly catalogId: string;
  readonly folder: string;
  readonly info: IndexInfo;
};

/** What kept parts depend on. Rejected rows are only in the report. */
export function basisOf({ settingsVersion }: Catalog, context: AuditContext): string {
  const { rejected: _rejected, ...freshness } = context;
  return [
    INDEX_VERSION,
    SEGMENTS_VERSION,
    settingsVersion,
    RENDERER_VERSION,
    RULESET.hash,
    syncStateOf(freshness),
  ].join("/");
}

/**
 * The render with the newest audit, if this one can keep parts of it: its verdicts are the stored ones. This is the published
 * render, or one that was held after it.
 */
export async function findPrevious(
  folders: FeedFolders,
  catalog: Catalog,
  context: AuditContext,
  newest: NewestAudit | undefined,
): Promise<Previous | undefined> {
  const { id: catalogId } = catalog;
  const folder = newest?.folder ?? null;
  if (folder === null) return undefined;
  const info = await readIndexInfo(folders, { catalogId, folder });
  return info?.basis === basisOf(catalog, context) ? { catalogId, folder, info } : undefined;
}

/** The previous render cannot be used: a complete one is needed. Says why. */
export class NothingToKeep extends Error {}

export function asNothingToKeep(error: unknown): unknown {
  const isExpected =
    error instanceof TooManyChanges || error instanceof MarketChanged || error instanceof DamagedFile;
  return isExpected ? new NothingToKeep(error.message, { cause: error }) : error;
}

/** On a connection with a snapshot. */
export async function renderChanges(
  session: Session,
  folders: FeedFolders,
  pass: RenderPass,
  { catalogId, folder, info }: Previous,
): Promise<void> {
  const openIndex = async () => {
    const bytes = await folders.open(
      { catalogId, folder, file: INDEX_FILE, encoding: "identity" },
      { start: 0, end: Infinity, highWaterMark: READ_BYTES },
    );
    if (!bytes) throw new DamagedFile("the index of the previous render is missing");
    return readEntries(bytes as AsyncIterable<Buffer>);
  };
  const changed = await findChangedGroups(session, catalogId, {
    entries: await openIndex(),
    items: info.items,
    now: pass.asOf.getTime(),
  });
  pass.audit.remove(changed.removedIds);
  const changes = new Merge(session, folders, pass, { catalogId, folder, groups: changed.groups });
  for await (const entries of await openIndex()) {
    for (const entry of entries) {
      const waiting = changes.entry(entry);
      if (waiting) await waiting;
    }
    await drain(pass);
  }
  await changes.finish();
}

const READ_BYTES = 256 * 1024;
/** How many items of changed groups are read together. */
const WINDOW = 1_000;

type MergeOptions = {
  readonly catalogId: string;
  readonly folder: string;
  readonly groups: readonly ChangedGroup[];
};

/** Goes through the entries of the previous index and the changed groups, both in feed order. */
class Merge {
  private readonly session: Session;
  private readonly pass: RenderPass;
  private readonly options: MergeOptions;
  private readonly refusals: RefusalReader;
  /** Whether the previous files had a text before the current entry. */
  private readonly hadText = FEED_FILES.map(() => false);
  /** The first changed group that has not been written yet. */
  private next = 0;
  /** Groups that have been read, in feed order, up to the changed group `windowEnd`. */
  private window: StoredGroup[] = [];
  private windowEnd = 0;
  /** The group whose entries are replaced by what was just written. */
  private replacedKey: Buffer | undefined;

  constructor(session: Session, folders: FeedFolders, pass: RenderPass, options: MergeOptions) {
    this.session = session;
    this.pass = pass;
    this.options = options;
    const { catalogId, folder } = options;
    this.refusals = new RefusalReader(async () =>
      folders.open({ catalogId, folder, file: REFUSALS_FILE, encoding: "identity" }),
    );
  }

  /** Returns a promise only if something is to be read: most entries are kept at once. */
  entry(entry: GroupEntry): Promise<void> | undefined {
    if (this.replacedKey && Buffer.compare(this.replacedKey, entry.sortKey) === 0) {
      this.skip(entry);
      return undefined;
    }
    return this.compareNext(entry) > 0 ? this.unchanged(entry) : this.writeUpTo(entry);
  }

  async finish(): Promise<void> {
    while (this.next < this.options.groups.length) await this.writeNext();
    await this.refusals.close();
  }

  /** Negative if a changed group comes before the entry, zero if it is the entry's group. */
  private compareNext({ sortKey }: GroupEntry): number {
    const changed = this.options.groups[this.next];
    return changed === undefined ? 1 : Buffer.compare(changed.sortKey, sortKey);
  }

  private async writeUpTo(entry: GroupEntry): Promise<void> {
    while (this.compareNext(entry) < 0) await this.writeNext();
    if (this.compareNext(entry) > 0) return this.unchanged(entry);
    await this.writeNext();
    this.replace(entry);
  }

  private unchanged(entry: GroupEntry): Promise<void> | undefined {
    if (!canKeepTexts(this.pass, entry, this.hadText)) return this.writeAnew(entry);
    const { lookups, outcomes, sameUntil, refusalBytes } = entry;
    const idAt = (at: number): string => entry.ids[at]?.toString() ?? "";
    const isKept = this.pass.audit.keep({ lookups, outcomes, sameUntil, idAt });
    if (!isKept || refusalBytes > 0) return this.keepWith(entry, isKept);
    keepGroup(this.pass, entry, { lines: [] });
    this.noteTexts(entry);
    return undefined;
  }

  /** Keeps the texts of a group. Its items are audited again if they have other findings, or are needed as examples. */
  private async keepWith(entry: GroupEntry, isKept: boolean): Promise<void> {
    const lines = await this.refusals.read(entry.refusalBytes);
    const audited = isKept ? undefined : await this.readPart(entry);
    if (audited) await this.pass.audit.addKept(audited.group);
    keepGroup(this.pass, entry, { audited, lines });
    this.noteTexts(entry);
  }

  private async writeAnew(entry: GroupEntry): Promise<void> {
    if (this.pass.starts.isLast(entry.sortKey))
      throw new NothingToKeep("a part of a large group is the first text of a file");
    await writeGroups(this.pass, await this.read([entry.sortKey]));
    this.replace(entry);
  }

  private async readPart({ sortKey, isGrouped }: GroupEntry): Promise<StoredGroup> {
    const parts = (await this.read([sortKey])).filter(({ group }) => (group.groupId !== null) === isGrouped);
    const [only] = parts;
    if (!only || parts.length > 1) throw new NothingToKeep("the findings of a very large group have changed");
    return only;
  }

  private async read(sortKeys: readonly Buffer[]): Promise<readonly StoredGroup[]> {
    const builder = new StoredGroupBuilder();
    const keys = sortKeys.map((key) => key.toString());
    const rows = await listBySortKey(this.session, this.options.catalogId, keys);
    return [...builder.add(rows), ...builder.end()];
  }

  /** Writes the next changed group; nothing if it was removed. */
  private async writeNext(): Promise<void> {
    if (this.next === this.windowEnd) await this.readWindow();
    const { sortKey } = this.options.groups[this.next] ?? {};
    this.next += 1;
    const key = sortKey?.toString();
    const own = this.window.findIndex(({ group }) => sortKeyOf(group) !== key);
    await writeGroups(this.pass, this.window.splice(0, own < 0 ? this.window.length : own));
    await drain(this.pass);
  }

  private async readWindow(): Promise<void> {
    const { groups } = this.options;
    const keys: Buffer[] = [];
    let items = 0;
    for (; this.windowEnd < groups.length && items < WINDOW; this.windowEnd++) {
      const group = groups[this.windowEnd];
      if (!group || group.items === 0) continue;
      keys.push(group.sortKey);
      items += group.items;
    }
    this.window = keys.length === 0 ? [] : [...(await this.read(keys))];
  }

  /** The group was written anew, or no longer exists: its entries are left out. */
  private replace(entry: GroupEntry): void {
    this.replacedKey = entry.sortKey;
    this.skip(entry);
  }

  private skip(entry: GroupEntry): void {
    skipGroup(this.pass, entry);
    this.refusals.skip(entry.refusalBytes);
    this.noteTexts(entry);
    this.pass.audit.replaced(entry.lookups);
  }

  private noteTexts({ files }: GroupEntry): void {
    for (const [at, { bytes }] of files.entries()) if (bytes > 0) this.hadText[at] = true;
  }
}
