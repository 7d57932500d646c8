/** `shelfwire audit <file or URL>`: the score of a feed and what to fix first, without a server or a database. */
import type { Command } from "commander";
import type { Config } from "../../config.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import { findNewestAudit } from "../../store/audits.ts";
import type { Db } from "../../store/db.ts";
import { openAudit } from "../../audit/audit.ts";
import { type AuditReport, readReport } from "../../audit/report.ts";
import { rejectedRows } from "../../pipeline/audit/rejected.ts";
import type { SettingTexts } from "../../setup/catalog-settings.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { auditLines } from "../audit-lines.ts";
import {
  type OfflineFileOptions,
  fileOptions,
  type OfflineFeed,
  openOffline,
  takeFileOptions,
} from "../offline.ts";
import { readSettingOptions, settingOptions } from "../options.ts";

type AuditOptions = SettingTexts & OfflineFileOptions & { failUnder?: string; catalog?: string };

export function auditCommand(
  program: Command,
  { config, io, print, endWith, withCatalog }: CommandContext,
): void {
  const audit = program
    .command("audit")
    .description("score any product feed and say what to fix first; needs no server")
    .argument(
      "[file or URL]",
      "CSV, TSV, JSON, JSON Lines, RSS or Atom, compressed or not; sample:shop.csv to try it",
    )
    .option("--catalog <slug>", "show the newest audit of this catalog instead of reading a feed")
    .option("--fail-under <score>", "exit with 6 if the score is lower: for checks in a build");
  settingOptions(fileOptions(audit)).action(async (target: string | undefined, options: AuditOptions) => {
    const { file, rest } = takeFileOptions(options);
    const { failUnder, catalog, ...texts } = rest;
    if ((target === undefined) === (catalog === undefined))
      throw invalidRequest("Give a file or an address to audit, or --catalog, and not both.");
    const settings = readSettingOptions("audited", texts);
    const limit = scoreLimit(failUnder);
    const { report, data } =
      target === undefined
        ? await withCatalog(catalog ?? "", async ({ id, slug }, { db }) => newestReport(db, id, slug))
        : await auditFeed(config(), { target, settings, file });
    print(data, () => auditLines(report, io.hasColor ?? false));
    if (report.score < limit) {
      io.talk(`The score is ${report.score}, lower than ${limit}.\n`);
      endWith(FINDINGS);
    }
  });
}

type Audited = { readonly report: AuditReport; readonly data: object };

async function auditFeed(config: Config, feed: OfflineFeed): Promise<Audited> {
  const { groups, stats } = await openOffline(config, feed);
  const running = openAudit({
    settings: feed.settings,
    asOf: new Date(),
    freshness: { lastSyncAt: null, intervalS: null },
    rejected: rejectedRows([stats]),
  });
  for (const group of groups) running.group(group);
  const report = running.finish();
  const { score, ...rest } = report;
  const { seen, rejected, warnings, rejections, warning_examples } = stats;
  const read = { seen, rejected, warnings, rejections, warning_examples };
  return { report, data: { catalog_score: score, ...rest, read } };
}

async function newestReport(db: Db, id: string, slug: string): Promise<Audited> {
  const audit = await findNewestAudit(db, id);
  if (!audit?.report)
    throw new AppError(
      "not_found",
      `Catalog ${slug} has not been audited yet. Each render includes an audit: sync a source first.`,
    );
  const report = readReport(audit.report);
  const { score, ...rest } = report;
  return {
    report,
    data: { run_id: audit.runId, audited_at: audit.createdAt.toISOString(), catalog_score: score, ...rest },
  };
}

function scoreLimit(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw invalidRequest(`--fail-under must be a whole number up to 100, not "${text}".`);
}
