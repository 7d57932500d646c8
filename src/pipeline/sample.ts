/** A first look at a source: reads some items, says what would become of them, changes nothing. */
import type { Rejection, Warning } from "../catalog/finding.ts";
import type { Item } from "../catalog/item.ts";
import { normalize } from "../catalog/normalize.ts";
import { AppError } from "../errors.ts";
import { findCatalog } from "../store/catalogs.ts";
import type { SourceRow } from "../store/sources.ts";
import type { JobDeps } from "./job.ts";
import { withSpool } from "./spool.ts";

const SAMPLE_SIZE = 20;

export type Sampled = {
  readonly items: readonly Item[];
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly Warning[];
  /** The source has no more than this. */
  readonly isWhole: boolean;
};

export async function sampleSource(deps: JobDeps, source: SourceRow, signal: AbortSignal): Promise<Sampled> {
  const connector = deps.connectors[source.kind];
  const catalog = await findCatalog(deps.db, source.catalogId);
  if (!connector || !catalog)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${source.kind}".`);
  return withSpool(deps.spoolRoot, async (spoolDir) => {
    const found = {
      items: [] as Item[],
      rejections: [] as Rejection[],
      warnings: [] as Warning[],
      isWhole: false,
    };
    const settings = { ...source.settings, ...deps.openSecrets(source.secretsSealed) };
    const events = connector.read(settings, {
      http: deps.http,
      signal,
      spoolDir,
      previous: null,
      extent: "sample",
    });
    for await (const event of events) {
      if (event.kind === "draft") {
        const { position, draft, decimalMark } = event;
        const result = normalize(draft, {
          position,
          settings: catalog.settings,
          ...(decimalMark && { decimalMark }),
        });
        if (result.kind === "rejected") found.rejections.push(result.rejection);
        else {
          found.items.push(result.item);
          found.warnings.push(...result.warnings);
        }
      } else if (event.kind === "rejected") found.rejections.push(event.rejection);
      else if (event.kind === "warning") found.warnings.push(event.warning);
      else found.isWhole = true;
      if (found.items.length + found.rejections.length >= SAMPLE_SIZE) break;
    }
    return found;
  });
}
