/** Compares the published files with a complete render of the same items, which is not stored. */
import { createHash } from "node:crypto";
import { readReport } from "../../audit/report.ts";
import type { FeedContext } from "../../channels/channel.ts";
import { CHANNELS, FEED_FILES } from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import { findNewestAudit } from "../../store/audits.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findRun } from "../../store/runs.ts";
import { storedGroups } from "./item-groups.ts";
import type { RenderStats } from "./publish.ts";
import { baseOf } from "./render.ts";

export type VerifiedFile = { readonly file: string; readonly sha256: string; readonly isSame: boolean };

export async function verifyPublished(db: Db, catalogId: string): Promise<readonly VerifiedFile[]> {
  return db.session(async (session) =>
    session.snapshot(async (tx) => {
      const catalog = await findCatalog(tx, catalogId);
      const run = catalog?.publishedRunId ? await findRun(tx, catalog.publishedRunId) : undefined;
      const audit = await findNewestAudit(tx, catalogId);
      if (!catalog || !run || !audit) throw new AppError("not_found", "The catalog has no published files.");
      if ((run.stats as RenderStats).base !== baseOf(catalog))
        throw new AppError("conflict", "The catalog has changed since its last render. Render it first.");
      const { slug, name, settings, snapshotAt } = catalog;
      // The time of the published render decides which sales run.
      const asOf = new Date(readReport(audit.report).as_of);
      const context: FeedContext = { catalog: { slug, name }, settings, asOf, snapshotAt };
      const outputs = FEED_FILES.map((file) => {
        const writer = CHANNELS[file].open(context);
        return { file, writer, hash: createHash("sha256").update(writer.head()) };
      });
      for await (const groups of storedGroups(session, catalogId)) {
        for (const { group } of groups)
          for (const { writer, hash } of outputs) hash.update(writer.group(group).text);
      }
      const published = new Map((await listFeedFiles(tx, run.id)).map(({ file, sha256 }) => [file, sha256]));
      return outputs.map(({ file, writer, hash }) => {
        const sha256 = hash.update(writer.tail()).digest("hex");
        return { file, sha256, isSame: published.get(file) === sha256 };
      });
    }),
  );
}
