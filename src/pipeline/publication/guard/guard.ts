/** The publish guard: compares a finished render with the published one, before it is published. */
import { isDeepStrictEqual } from "node:util";
import type { Exceeded, GuardSettings } from "../../../contract/publish-guard.ts";
import type { Log } from "../../../lib/log.ts";
import { FEED_FILES } from "../../../channels/registry.ts";
import type { FeedFolders } from "../../../files/feed-folders.ts";
import { DamagedFile } from "../../../files/stored-files.ts";
import { areSameFiles, type RenderedFile } from "../../../store/feed-files.ts";
import {
  type ComparedItem,
  compareIndexes,
  factsOf,
  type IndexedItem,
  readIndexInfo,
  type RenderRef,
} from "../../render/compare-indexes.ts";
import { type IndexInfo, isSameFingerprint } from "../../render/render-index.ts";
import { TotalsCounter } from "../../render/render-totals.ts";
import {
  ChangeCounter,
  type GuardFigures,
  type HostTables,
  type ItemChanges,
  type RenderFigures,
} from "./figures.ts";
import { judge, judgeAlone } from "./judge.ts";
import { limitsOf } from "./limits.ts";

export type GuardVerdict = {
  /** Null if there was nothing to compare, or nothing to compare with. */
  readonly figures: GuardFigures | null;
  /** Not empty: the render is held, or published with a note. */
  readonly exceeded: readonly Exceeded[];
  /** What is unlikely about the files themselves: a note about it stays as long as it is true. */
  readonly unlikely: readonly Exceeded[];
  /** The published files are not on disk any more: any file is better. */
  readonly replacesLost?: boolean;
};

export const NOTHING_EXCEEDED: GuardVerdict = { figures: null, exceeded: [], unlikely: [] };

export type GuardInput = {
  readonly catalogId: string;
  readonly settings: GuardSettings;
  /** The files of the published render; none: nothing is published yet. */
  readonly before: readonly RenderedFile[];
  readonly after: readonly RenderedFile[];
  /** A person has just removed items: a source with its items, or by a sync or push that may remove any number. */
  readonly isRemoval: () => Promise<boolean>;
  /** A dry run of rules or approvals: what they change is compared as well, for the person who tries them. */
  readonly comparesOwn?: boolean;
};

export async function guardRender(
  deps: { readonly folders: FeedFolders; readonly log: Log },
  { catalogId, settings, before, after, isRemoval, comparesOwn = false }: GuardInput,
): Promise<GuardVerdict> {
  const limits = limitsOf(settings);
  const isSame = areSameFiles(after, before);
  // The first render is never held: there is no better one. Neither is there if the published files are lost.
  if (!(await areStored(deps.folders, catalogId, before))) {
    const info = await readIndexInfo(deps.folders, refOf(catalogId, after));
    const unlikely = limits ? judgeAlone(figuresOf(after, info), limits) : [];
    return { figures: null, exceeded: unlikely, unlikely, replacesLost: true };
  }
  if (!limits || isSame) return NOTHING_EXCEEDED;
  const figures = await compare(deps, catalogId, { before, after, settings, comparesOwn });
  const exceeded = judge(figures, limits);
  const others = exceeded.filter(({ signal }) => signal !== "items_removed");
  return {
    figures,
    exceeded: others.length < exceeded.length && (await isRemoval()) ? others : exceeded,
    unlikely: judgeAlone(figures.after, limits),
  };
}

const refOf = (catalogId: string, [file]: readonly RenderedFile[]): RenderRef => ({
  catalogId,
  folder: file?.folder ?? "",
});

async function compare(
  deps: { readonly folders: FeedFolders; readonly log: Log },
  catalogId: string,
  { before, after, settings, comparesOwn }: Omit<GuardInput, "catalogId" | "isRemoval">,
): Promise<GuardFigures> {
  const renders = { before: refOf(catalogId, before), after: refOf(catalogId, after) };
  const [was, is] = await Promise.all([
    readIndexInfo(deps.folders, renders.before),
    readIndexInfo(deps.folders, renders.after),
  ]);
  const figures = { before: figuresOf(before, was), after: figuresOf(after, is) };
  if (!was || !is) return { ...figures, changes: null };
  const hosts = { before: was.hosts, after: is.hosts, expected: settings.expected_hosts ?? [] };
  const totals = new TotalsCounter(was.totals);
  const compared = await changesBetween(deps, renders, { hosts, totals, comparesOwn: comparesOwn === true });
  const hasOwnChange = compared.own > 0 || !isDeepStrictEqual(was.context.settings, is.context.settings);
  return {
    before: { ...figures.before, totals: totals.totals() },
    after: figures.after,
    changes: compared.changes,
    hasOwnChange,
  };
}

/** False without files. */
async function areStored(
  folders: FeedFolders,
  catalogId: string,
  files: readonly RenderedFile[],
): Promise<boolean> {
  const stored = await Promise.all(
    files.map(async ({ folder, file }) => folders.has({ catalogId, folder, file })),
  );
  return files.length > 0 && stored.every(Boolean);
}

function figuresOf(files: readonly RenderedFile[], info: IndexInfo | undefined): RenderFigures {
  const [first] = files;
  return {
    items: (first?.written ?? 0) + (first?.excluded ?? 0),
    files: files.map(({ file, written, refused, bytes }) => {
      const head = info?.heads[FEED_FILES.indexOf(file)];
      return { file, written, refused, bytes: head === undefined ? null : bytes - head };
    }),
    totals: info?.totals ?? null,
  };
}

/**
 * Changes are null if an index is damaged: then the render is judged by its totals and files. Items that rules or
 * approved values have changed, and their sources have not, are counted as `own`, and in the totals as they are now.
 */
async function changesBetween(
  { folders, log }: { readonly folders: FeedFolders; readonly log: Log },
  renders: { readonly before: RenderRef; readonly after: RenderRef },
  {
    hosts,
    totals,
    comparesOwn,
  }: { readonly hosts: HostTables; readonly totals: TotalsCounter; readonly comparesOwn: boolean },
): Promise<{ readonly changes: ItemChanges | null; readonly own: number }> {
  const counter = new ChangeCounter(hosts);
  let own = 0;
  const count = ({ before, after }: ComparedItem): void => {
    if (!before) return after && counter.added(after.id);
    if (!after) return counter.removed(before.id);
    if (comparesOwn || !isOwnChange(before, after)) return counter.changed(factsOf(before), factsOf(after));
    own += 1;
    totals.count(factsOf(before), -1, groupItems(before));
    totals.count(factsOf(after), 1, groupItems(after));
  };
  try {
    for await (const items of compareIndexes(folders, renders)) items.forEach(count);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    log.warn({ catalog_id: renders.after.catalogId, reason: error.message }, "renders cannot be compared");
    return { changes: null, own };
  }
  return { changes: counter.changes(), own };
}

const isOwnChange = (before: IndexedItem, after: IndexedItem): boolean =>
  isSameFingerprint(before.entry.sources, before.at, after.entry.sources, after.at) &&
  !isSameFingerprint(before.entry.fingerprints, before.at, after.entry.fingerprints, after.at);

/** As `TotalsCounter` counts groups: by their first items. */
const groupItems = ({ entry, at }: IndexedItem): number => (at === 0 ? entry.ids.length : 0);
