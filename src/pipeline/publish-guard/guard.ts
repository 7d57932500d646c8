/** The publish guard: compares a finished render with the published one, before it is published. */
import type { Exceeded, GuardSettings } from "../../contract/publish-guard.ts";
import type { Log } from "../../lib/log.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import type { FeedFolders } from "../../publish/local-files.ts";
import { DamagedFile } from "../../publish/stored-files.ts";
import type { FeedFileRow } from "../../store/feed-files.ts";
import { compareIndexes, factsOf, readIndexInfo, type RenderRef } from "../render/compare-indexes.ts";
import type { IndexInfo } from "../render/render-index.ts";
import { ChangeCounter, type GuardFigures, type ItemChanges, type RenderFigures } from "./figures.ts";
import { judge } from "./judge.ts";
import { limitsOf } from "./limits.ts";

export type GuardVerdict = {
  /** Null if there was nothing to compare, or nothing to compare with. */
  readonly figures: GuardFigures | null;
  /** Not empty: the render is held, or published with a note. */
  readonly exceeded: readonly Exceeded[];
  /** The published files are not on disk any more: any file is better. */
  readonly replacesLost?: boolean;
};

export const NOTHING_EXCEEDED: GuardVerdict = { figures: null, exceeded: [] };

export type Compared = {
  readonly catalogId: string;
  readonly settings: GuardSettings;
  /** The files of the published render; none: nothing is published yet. */
  readonly before: readonly FeedFileRow[];
  readonly after: readonly FeedFileRow[];
  /** A person has just removed items: a source with its items, or by a sync or push that may remove any number. */
  readonly isRemoval: () => Promise<boolean>;
};

export async function guardRender(
  deps: { readonly folders: FeedFolders; readonly log: Log },
  { catalogId, settings, before, after, isRemoval }: Compared,
): Promise<GuardVerdict> {
  const limits = limitsOf(settings);
  const isSame = after.every(({ changed }) => !changed);
  // The first render is never held: there is no better one. Neither is there if the published files are lost.
  if (!(await areStored(deps.folders, catalogId, before))) return { ...NOTHING_EXCEEDED, replacesLost: true };
  if (!limits || isSame) return NOTHING_EXCEEDED;
  const figures = await compare(deps, catalogId, { before, after });
  const exceeded = judge(figures, limits);
  const others = exceeded.filter(({ signal }) => signal !== "items_removed");
  return { figures, exceeded: others.length < exceeded.length && (await isRemoval()) ? others : exceeded };
}

async function compare(
  deps: { readonly folders: FeedFolders; readonly log: Log },
  catalogId: string,
  { before, after }: Pick<Compared, "before" | "after">,
): Promise<GuardFigures> {
  const refOf = ([file]: readonly FeedFileRow[]): RenderRef => ({ catalogId, folder: file?.folder ?? "" });
  const renders = { before: refOf(before), after: refOf(after) };
  const [was, is] = await Promise.all([
    readIndexInfo(deps.folders, renders.before),
    readIndexInfo(deps.folders, renders.after),
  ]);
  return {
    before: figuresOf(before, was),
    after: figuresOf(after, is),
    changes: was && is ? await changesBetween(deps, renders, { before: was, after: is }) : null,
  };
}

/** False without files. */
async function areStored(
  folders: FeedFolders,
  catalogId: string,
  files: readonly FeedFileRow[],
): Promise<boolean> {
  const stored = await Promise.all(
    files.map(async ({ folder, file }) => folders.has({ catalogId, folder, file })),
  );
  return files.length > 0 && stored.every(Boolean);
}

function figuresOf(files: readonly FeedFileRow[], info: IndexInfo | undefined): RenderFigures {
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

/** Null if an index is damaged: then the render is judged by its totals and files. */
async function changesBetween(
  { folders, log }: { readonly folders: FeedFolders; readonly log: Log },
  renders: { readonly before: RenderRef; readonly after: RenderRef },
  infos: { readonly before: IndexInfo; readonly after: IndexInfo },
): Promise<ItemChanges | null> {
  const counter = new ChangeCounter({ before: infos.before.hosts, after: infos.after.hosts });
  try {
    for await (const items of compareIndexes(folders, renders)) {
      for (const { before, after } of items) {
        if (before && after) counter.changed(factsOf(before), factsOf(after));
        else if (before) counter.removed(before.id);
        else if (after) counter.added(after.id);
      }
    }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    log.warn({ catalog_id: renders.after.catalogId, reason: error.message }, "renders cannot be compared");
    return null;
  }
  return counter.changes();
}
