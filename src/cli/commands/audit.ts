/**
 * `shelfwire audit <file or URL>`: the score of a feed, the reason for it and what to fix first, without a server or
 * a database. For many people the first thing they see of this program.
 */
import type { Command } from "commander";
import { openAudit } from "../../audit/audit.ts";
import type { AuditReport } from "../../audit/report.ts";
import { rejectedRows } from "../../pipeline/audit/rejected.ts";
import type { SyncStats } from "../../pipeline/sync/ledger.ts";
import { readCatalogSettings, type SettingTexts } from "../../setup/catalog-settings.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { auditLines } from "../audit-lines.ts";
import { openOffline } from "../offline.ts";
import { refuseOptions, settingOptions } from "../setting-options.ts";

type AuditOptions = SettingTexts & { failUnder?: string };

export function auditCommand(program: Command, { config, io, print, endWith }: CommandContext): void {
  const audit = program
    .command("audit")
    .description("score any product feed and say what to fix first; needs no server")
    .argument(
      "<file or URL>",
      "CSV, TSV, JSON, JSON Lines, RSS or Atom, plain or packed; sample:shop.csv to try it",
    )
    .option("--fail-under <score>", "exit with 6 if the score is lower: for checks in a build");
  settingOptions(audit).action(async (target: string, { failUnder, ...texts }: AuditOptions) => {
    const { settings, problems } = readCatalogSettings(texts);
    refuseOptions("audited", problems);
    const limit = scoreLimit(failUnder);
    const { groups, stats } = await openOffline(config(), target, settings);
    const running = openAudit({
      settings,
      asOf: new Date(),
      freshness: { lastSyncAt: null, intervalS: null },
      rejected: rejectedRows([stats]),
    });
    for (const group of groups) running.group(group);
    const report = running.finish();
    print(answer(report, stats), () => auditLines(report, io.hasColor ?? false));
    if (report.score < limit) {
      io.talk(`The score is ${report.score}, lower than ${limit}.\n`);
      endWith(FINDINGS);
    }
  });
}

function scoreLimit(text: string | undefined): number {
  if (text === undefined) return 0;
  refuseOptions(
    "audited",
    /^\d{1,3}$/.test(text) && Number(text) <= 100
      ? []
      : [{ pointer: "--fail-under", detail: "must be a whole number up to 100" }],
  );
  return Number(text);
}

/** Under the names the API has for it, and what was read beside it. */
const answer = (
  { score, ...report }: AuditReport,
  { seen, rejected, warnings, rejections, warning_examples }: SyncStats,
) => ({
  catalog_score: score,
  ...report,
  read: { seen, rejected, warnings, rejections, warning_examples },
});
