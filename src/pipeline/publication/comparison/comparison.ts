/**
 * Compares two renders of a catalog: what happened between them, every item that differs with the cause, and totals
 * that add up.
 */
import { FEED_FILES } from "../../../channels/registry.ts";
import type {
  CauseKind,
  ComparedItem,
  ComparisonHead,
  ComparisonTotals,
  Difference,
} from "../../../contract/comparisons.ts";
import type { FeedFileName } from "../../../contract/feeds.ts";
import { AppError } from "../../../errors.ts";
import { counted } from "../../../lib/counted.ts";
import type { FeedFolders } from "../../../files/feed-folders.ts";
import { DamagedFile } from "../../../files/stored-files.ts";
import { findCatalog } from "../../../store/catalogs.ts";
import type { Queries } from "../../../store/db.ts";
import { loadBetween } from "./between.ts";
import { CauseFinder, type ItemKnowledge, NO_CAUSES } from "./causes.ts";
import { compareFiles, type ItemDifference, type OpenedRender, openRender } from "./compare-files.ts";
import { KnowledgeLoader } from "./item-knowledge.ts";
import { findKeptRender, type KeptRender, renderGone } from "../kept-render.ts";

export type ComparisonDeps = { readonly db: Queries; readonly folders: FeedFolders };

/** Which items are listed. The totals are those of all. */
export type ComparisonFilter = {
  readonly file?: FeedFileName | undefined;
  readonly cause?: CauseKind | undefined;
  /** Without one, all are listed. */
  readonly limit?: number | undefined;
};

export type Comparison = {
  readonly head: ComparisonHead;
  /** Items that differ, in feed order, in batches; to be read once. The files are closed at the end. */
  readonly items: () => AsyncGenerator<readonly ComparedItem[]>;
  /** After the last item. */
  readonly totals: () => ComparisonTotals;
};

export async function openComparison(
  { db, folders }: ComparisonDeps,
  catalogId: string,
  runIds: { readonly before: string; readonly after: string },
  filter: ComparisonFilter = {},
): Promise<Comparison> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed.");
  const before = await findKeptRender({ db, folders }, catalogId, runIds.before);
  const after = await findKeptRender({ db, folders }, catalogId, runIds.after);
  const renders = { before: before.info, after: after.info };
  const { between, facts } = await loadBetween(db, catalogId, renders);
  const totals = new Totals({ before, after });
  const finder = new CauseFinder(facts);
  const knowledge = new KnowledgeLoader(db, catalog, { ...renders, facts, finder });

  async function* differences(): AsyncGenerator<readonly ComparedItem[]> {
    const opened = await openBoth(folders, { before, after });
    try {
      for await (const batch of compareFiles(folders, opened)) {
        const known = await knowledge.load(batch);
        yield batch.flatMap((difference) => {
          const item = comparedItem(difference, finder, known);
          totals.add(item);
          return totals.list(item, filter);
        });
      }
      totals.check();
    } catch (error) {
      throw error instanceof DamagedFile
        ? renderGone("The stored files of one of the renders are damaged.")
        : error;
    } finally {
      await opened.before.texts.close();
      await opened.after.texts.close();
    }
  }
  return {
    head: { before: renderHead(before), after: renderHead(after), between },
    items: differences,
    totals: () => totals.result(),
  };
}

const renderHead = ({ runId, info }: KeptRender): ComparisonHead["before"] => ({
  run_id: runId,
  rendered_at: info.as_of,
  items: info.items,
});

async function openBoth(
  folders: FeedFolders,
  renders: { readonly before: KeptRender; readonly after: KeptRender },
): Promise<{ readonly before: OpenedRender; readonly after: OpenedRender }> {
  const before = await openRender(folders, renders.before, renders.before.info);
  const after = before && (await openRender(folders, renders.after, renders.after.info));
  if (before && after) return { before, after };
  await before?.texts.close();
  throw renderGone("The files of one of the renders have just been removed.");
}

function comparedItem(
  difference: ItemDifference,
  finder: CauseFinder,
  known: ReadonlyMap<string, ItemKnowledge>,
): ComparedItem {
  const causes = finder.causesOf(difference, known);
  const differences = difference.changes.map(({ file, change, field, before, after }, at): Difference => {
    const cause = causes[at];
    if (!cause) throw new TypeError("every difference has a cause");
    return { file, change, field, before, after, cause };
  });
  return { item_id: difference.id, change: difference.change, differences };
}

class Totals {
  private readonly renders: { readonly before: KeptRender; readonly after: KeptRender };
  private readonly items = { added: 0, removed: 0, changed: 0 };
  private readonly byCause = { ...NO_CAUSES };
  private readonly byFile = Object.fromEntries(FEED_FILES.map((file) => [file, 0])) as Record<
    FeedFileName,
    number
  >;
  private differences = 0;
  private listed = 0;

  constructor(renders: { readonly before: KeptRender; readonly after: KeptRender }) {
    this.renders = renders;
  }

  add({ change, differences }: ComparedItem): void {
    this.items[change] += 1;
    this.differences += differences.length;
    for (const { file, cause } of differences) {
      this.byFile[file] += 1;
      this.byCause[cause.kind] += 1;
    }
  }

  /** The item as it is listed: none if the filter leaves it out. */
  list(item: ComparedItem, { file, cause, limit = Infinity }: ComparisonFilter): readonly ComparedItem[] {
    if (this.listed >= limit) return [];
    const isFiltered = file !== undefined || cause !== undefined;
    const differences = item.differences.filter(
      (one) => (file ?? one.file) === one.file && (cause ?? one.cause.kind) === one.cause.kind,
    );
    if (isFiltered && differences.length === 0) return [];
    this.listed += 1;
    return [{ ...item, differences }];
  }

  /** The items of both renders are those that the differences leave over. */
  check(): void {
    const { before, after } = this.renders;
    const { added, removed, changed } = this.items;
    const sums = [Object.values(this.byCause), Object.values(this.byFile)].map(sumOf);
    const isRight =
      before.info.items - removed === after.info.items - added &&
      after.info.items - added - changed >= 0 &&
      sums.every((sum) => sum === this.differences);
    if (!isRight)
      throw new AppError(
        "ledger_mismatch",
        `The differences do not add up: ${counted(before.info.items, "item")} before, ${after.info.items} after, ${added} added, ${removed} removed. Please report this.`,
      );
  }

  result(): ComparisonTotals {
    const { added, removed, changed } = this.items;
    return {
      items: { added, removed, changed, unchanged: this.renders.after.info.items - added - changed },
      differences: this.differences,
      by_cause: { ...this.byCause },
      by_file: { ...this.byFile },
      listed: this.listed,
    };
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
