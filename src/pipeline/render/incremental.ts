/**
 * A render that keeps what has not changed since the last one: the bytes of its groups in every file, and the findings of
 * the audit. The result is the same as that of a complete render, byte for byte.
 */
import { syncStateOf, type AuditContext } from "../../audit/audit-context.ts";
import { MarketChanged } from "../../audit/catalog-tables.ts";
import { RULESET } from "../../audit/ruleset.ts";
import { FEED_FILES, type FeedFile, RENDERER_VERSION } from "../../channels/registry.ts";
import { comparePlaces } from "../../lib/first-few.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { SEGMENTS_VERSION } from "../../files/segments.ts";
import { DamagedFile } from "../../files/stored-files.ts";
import type { NewestAudit } from "../../store/audits.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Session } from "../../store/db.ts";
import { TooManyChanges } from "./changed-groups.ts";
import { type ChangePlan, earlierOf, placeOfEntry, type Previous, readGroups } from "./change-plan.ts";
import { OpenIndex, readIndexInfo } from "./compare-indexes.ts";
import { type DirectoryRecord, OffsetCounter } from "./index-directory.ts";
import type { IndexEntry } from "./index-entry.ts";
import type { StoredGroup } from "./item-groups.ts";
import { canKeepSegment, canKeepTexts, keepGroup, keepSegment, skipGroup } from "./kept-groups.ts";
import { drain, type RenderPass, writeGroups } from "./pass.ts";
import { RefusalReader } from "./refusal-reader.ts";
import type { RefusalLine } from "./refusal-report.ts";
import { INDEX_VERSION } from "./render-index.ts";
import { sortKeyOf } from "./segment-starts.ts";
import type { Tally } from "./tally.ts";

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
  plan: ChangePlan,
): Promise<void> {
  const { previous } = plan;
  await using index = await OpenIndex.open(folders, previous, previous.info);
  await using refusals = await RefusalReader.open(folders, previous);
  const merge = new Merge(session, pass, plan, refusals);
  for (const [at, record] of index.directory.entries()) {
    if (plan.isVisited[at] === false && merge.canKeep(record, index.directory[at + 1])) {
      merge.keepSegment(record);
      continue;
    }
    for (const entry of await index.entriesAt(at)) {
      const waiting = merge.entry(entry);
      if (waiting) await waiting;
    }
    await merge.writeBefore(index.directory[at + 1]);
    await drain(pass);
  }
  await merge.writeBefore(undefined);
  await merge.addMissing(index);
}

/** How many changed groups are read together. */
const WINDOW = 100;

/** Goes through the entries of the previous index and the changed groups, both in feed order. */
class Merge {
  private readonly session: Session;
  private readonly pass: RenderPass;
  private readonly plan: ChangePlan;
  private readonly refusals: RefusalReader;
  /** Where the next entry begins in the previous files. */
  private readonly offsets: OffsetCounter;
  /** Whether the previous files had a text before the current entry. */
  private readonly hadText = FEED_FILES.map(() => false);
  /** The first changed group that has not been written yet. */
  private next = 0;
  /** Groups that have been read, in feed order, up to the changed group `windowEnd`. */
  private window: StoredGroup[] = [];
  private windowEnd = 0;
  /** The group whose entries are replaced by what was just written, and the items of that. */
  private replacedKey: Buffer | undefined;
  private writtenIds: ReadonlySet<string> = new Set();
  /** The places of all groups that were evaluated. */
  private readonly evaluated = new Set<string>();

  constructor(session: Session, pass: RenderPass, plan: ChangePlan, refusals: RefusalReader) {
    this.session = session;
    this.pass = pass;
    this.plan = plan;
    this.refusals = refusals;
    this.offsets = new OffsetCounter(plan.previous.info.heads);
  }

  /** Whether a segment without changes can be kept as a whole. */
  canKeep(record: DirectoryRecord, following: DirectoryRecord | undefined): boolean {
    return following?.continues !== true && canKeepSegment(this.pass, record, this.hadText);
  }

  keepSegment(record: DirectoryRecord): void {
    keepSegment(this.pass, record);
    this.offsets.skipSegment(record);
  }

  /** Returns a promise only if something is to be read: most entries are kept at once. */
  entry(entry: IndexEntry): Promise<void> | undefined {
    if (this.replacedKey?.equals(entry.sortKey) === true) return this.replace(entry);
    return this.compareNext(entry.sortKey) > 0 ? this.unchanged(entry) : this.writeUpTo(entry);
  }

  /** Writes the changed groups that come before a segment; all that are left without one. */
  async writeBefore(following: DirectoryRecord | undefined): Promise<void> {
    while (this.comesBefore(following)) await this.writeNext();
  }

  /** Whether a changed group comes before the segment, or any is left if there is no segment. */
  private comesBefore(following: DirectoryRecord | undefined): boolean {
    if (!following) return this.next < this.plan.keys.length;
    return this.compareNext(following.firstKey) < 0;
  }

  /** Finds items that take the places of those that were the first with a finding or a refusal. */
  async addMissing(index: OpenIndex): Promise<void> {
    const first = this.missingFrom();
    if (first === undefined) return;
    const offsets = new OffsetCounter(this.plan.previous.info.heads);
    for (const [at, record] of index.directory.entries()) {
      const following = index.directory[at + 1];
      if (following && comparePlaces(following.firstKey.toString(), first) < 0) {
        offsets.skipSegment(record);
        continue;
      }
      let last = first;
      for (const entry of await index.entriesAt(at)) {
        last = placeOfEntry(entry);
        if (!this.evaluated.has(last) && comparePlaces(last, first) >= 0)
          await this.addFrom(entry, offsets.offsets().refusals);
        offsets.skipEntry(entry);
      }
      if (this.missingFrom(last) === undefined) return;
    }
  }

  /** The place from which on something may be missing. */
  private missingFrom(end?: string): string | undefined {
    const { audit, tallies } = this.pass;
    const places = [audit.examplesFrom(end), ...tallies.map(({ first }) => first.missingFrom(end))];
    return places
      .filter((place) => place !== undefined)
      .toSorted(comparePlaces)
      .at(0);
  }

  private async addFrom(entry: IndexEntry, refusalsStart: number): Promise<void> {
    const earlier = earlierOf(entry);
    if (this.pass.audit.needsExample(earlier))
      this.pass.audit.addExamples((await this.readPart(entry)).group, earlier);
    const { place } = earlier;
    const isMissing = ({ first }: Tally): boolean => {
      const from = first.missingFrom(place);
      return from !== undefined && comparePlaces(place, from) >= 0;
    };
    const incomplete = this.pass.tallies.filter(isMissing);
    for (const { first } of incomplete) first.refill(place);
    if (incomplete.length === 0) return;
    for (const { file, ...refusal } of await this.refusals.read(refusalsStart, entry.refusalBytes)) {
      const tally = this.tallyOf(file);
      if (tally && incomplete.includes(tally)) tally.first.add(place, refusal);
    }
  }

  private tallyOf(file: string): Tally | undefined {
    return this.pass.tallies[FEED_FILES.indexOf(file as FeedFile)];
  }

  /** Negative if a changed group comes before this place, zero if it is at this place. */
  private compareNext(sortKey: Buffer): number {
    const changed = this.plan.keys[this.next];
    return changed === undefined ? 1 : Buffer.compare(changed, sortKey);
  }

  private async writeUpTo(entry: IndexEntry): Promise<void> {
    while (this.compareNext(entry.sortKey) < 0) await this.writeNext();
    if (this.compareNext(entry.sortKey) > 0) return this.unchanged(entry);
    await this.writeNext();
    return this.replace(entry);
  }

  private unchanged(entry: IndexEntry): Promise<void> | undefined {
    if (!canKeepTexts(this.pass, entry, this.hadText)) return this.writeAnew(entry);
    if (!this.pass.audit.keep(entry.lookups)) return this.auditAgain(entry);
    keepGroup(this.pass, entry);
    this.passBy(entry);
    return undefined;
  }

  /** Keeps the texts of a group whose items have other findings than before. */
  private async auditAgain(entry: IndexEntry): Promise<void> {
    const audited = await this.readPart(entry);
    await this.pass.audit.addKept(audited.group, earlierOf(entry));
    keepGroup(this.pass, entry, audited);
    this.evaluated.add(placeOfEntry(entry));
    this.passBy(entry);
  }

  private async writeAnew(entry: IndexEntry): Promise<void> {
    if (this.pass.starts.isLast(entry.sortKey))
      throw new NothingToKeep("a part of a large group is the first text of a file");
    await this.write(await readGroups(this.session, this.plan.previous.catalogId, [entry.sortKey]));
    await this.replace(entry);
  }

  private async readPart({ sortKey, isGrouped }: IndexEntry): Promise<StoredGroup> {
    const groups = await readGroups(this.session, this.plan.previous.catalogId, [sortKey]);
    const parts = groups.filter(({ group }) => (group.groupId !== null) === isGrouped);
    const [only] = parts;
    if (!only || parts.length > 1) throw new NothingToKeep("the findings of a very large group have changed");
    return only;
  }

  /** Writes the next changed group; nothing if it was removed. */
  private async writeNext(): Promise<void> {
    if (this.next === this.windowEnd) await this.readWindow();
    const key = this.plan.keys[this.next]?.toString();
    this.next += 1;
    const own = this.window.findIndex(({ group }) => sortKeyOf(group) !== key);
    await this.write(this.window.splice(0, own < 0 ? this.window.length : own));
    await drain(this.pass);
  }

  private async readWindow(): Promise<void> {
    const { keys, previous } = this.plan;
    const wanted = keys.slice(this.windowEnd, this.windowEnd + WINDOW);
    this.windowEnd += wanted.length;
    this.window = [...(await readGroups(this.session, previous.catalogId, wanted))];
  }

  private async write(groups: readonly StoredGroup[]): Promise<void> {
    this.writtenIds = new Set(groups.flatMap(({ group }) => group.items.map(({ id }) => id)));
    await writeGroups(this.pass, groups);
  }

  /** The group was written anew, or no longer exists: its entries are left out. */
  private async replace(entry: IndexEntry): Promise<void> {
    const { pass, writtenIds } = this;
    this.replacedKey = entry.sortKey;
    const earlier = earlierOf(entry);
    const { place } = earlier;
    const refusals = await this.refusals.read(this.offsets.offsets().refusals, entry.refusalBytes);
    this.takeAway(entry, place, refusals);
    skipGroup(pass, entry);
    this.passBy(entry);
    this.evaluated.add(place);
    pass.audit.remove(entry.ids.map(String).filter((id) => !writtenIds.has(id)));
    pass.audit.replaced(earlier);
  }

  private takeAway(entry: IndexEntry, place: string, refusals: readonly RefusalLine[]): void {
    this.pass.items -= entry.items;
    for (const [at, { written }] of entry.files.entries()) {
      const tally = this.pass.tallies[at];
      if (tally) tally.written -= written;
    }
    for (const { file, ...refusal } of refusals) this.tallyOf(file)?.remove(place, refusal);
  }

  private passBy(entry: IndexEntry): void {
    this.offsets.skipEntry(entry);
    for (const [at, { bytes }] of entry.files.entries()) if (bytes > 0) this.hadText[at] = true;
  }
}
