/**
 * One pass over the catalog: every group goes to the four writers and to the audit, with back-pressure from the
 * slowest file. Memory does not grow with the catalog.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import { offerAt } from "../../catalog/price-now.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { FeedContext, FeedWriter } from "../../channels/channel.ts";
import type { FeedSink, RenderFolder } from "../../publish/local-files.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { FeedFileRow } from "../../store/feed-files.ts";
import type { AuditPass } from "../audit/pass.ts";
import { openExclusionReport } from "./exclusion-report.ts";
import type { ExclusionReport } from "./exclusion-report.ts";
import { openSearchList } from "./search-list.ts";
import type { SearchList } from "./search-list.ts";
import { newTally, tallyPiece } from "./tally.ts";
import type { Tally } from "./tally.ts";

type Output = {
  readonly file: FeedFile;
  readonly writer: FeedWriter;
  readonly sink: FeedSink;
  readonly tally: Tally;
};

export type Pass = {
  readonly asOf: Date;
  readonly outputs: readonly Output[];
  readonly exclusions: ExclusionReport;
  readonly search: SearchList;
  readonly audit: AuditPass;
  items: number;
  /** The earliest time at which an item's offer changes without a sync, such as the end of a sale. */
  staleAt: string | null;
};

export type PassParts = {
  readonly catalog: Catalog;
  readonly asOf: Date;
  readonly folder: RenderFolder;
  readonly audit: AuditPass;
};

export function openPass({ catalog, asOf, folder, audit }: PassParts): Pass {
  const { slug, name, settings, snapshotAt } = catalog;
  const context: FeedContext = { catalog: { slug, name }, settings, asOf, snapshotAt };
  const outputs = FEED_FILES.map((file): Output => {
    const writer = CHANNELS[file].open(context);
    const sink = folder.sink(file);
    void sink.write(writer.head());
    return { file, writer, sink, tally: newTally() };
  });
  const [exclusions, search] = [openExclusionReport(folder), openSearchList(folder)];
  return { asOf, outputs, exclusions, search, audit, items: 0, staleAt: null };
}

export async function writeGroups(pass: Pass, groups: Iterable<ItemGroup>): Promise<void> {
  for (const group of groups) {
    pass.items += group.items.length;
    noteNextChange(pass, group);
    for (const { file, writer, sink, tally } of pass.outputs) {
      const piece = writer.group(group);
      const reported = pass.exclusions.add(file, piece);
      if (reported) await reported;
      const full = sink.write(tallyPiece(tally, piece));
      if (full) await full;
    }
    const listed = pass.search.add(group.items);
    if (listed) await listed;
    const audited = pass.audit.add(group);
    if (audited) await audited;
  }
}

/** ISO instants compare as text. */
function noteNextChange(pass: Pass, { items }: ItemGroup): void {
  for (const item of items) {
    if (item.saleFrom === undefined && item.saleTo === undefined && item.availabilityDate === undefined)
      continue;
    const { nextChangeAt } = offerAt(item, pass.asOf);
    if (nextChangeAt !== null && (pass.staleAt === null || nextChangeAt < pass.staleAt))
      pass.staleAt = nextChangeAt;
  }
}

/** Finishes all files. A file with the same bytes as the published one keeps its date, so that caches stay valid. */
export async function finishFiles(
  { outputs, exclusions, search, asOf }: Pass,
  before: ReadonlyMap<string, FeedFileRow>,
  folder: string,
): Promise<readonly FeedFileRow[]> {
  const files = await Promise.all(
    outputs.map(async ({ file, writer, sink, tally }): Promise<FeedFileRow> => {
      await sink.write(writer.tail());
      const bytes = await sink.finish();
      const previous = before.get(file);
      const changed = previous?.sha256 !== bytes.sha256;
      const lastModified = changed || !previous ? asOf : previous.lastModified;
      const { written, excluded } = tally;
      return { file, folder, ...bytes, changed, lastModified, written, excluded };
    }),
  );
  await exclusions.finish();
  await search.finish();
  return files;
}
