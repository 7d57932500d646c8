/** `shelfwire alerts …`: what needs attention and what did, who is mailed about it, and a test mail. */
import type { Command } from "commander";
import {
  type AlertSettings,
  AlertsAnswer,
  AlertSettingsAnswer,
  TestMailAnswer,
} from "../../contract/alerts.ts";
import { invalidRequest } from "../../errors.ts";
import { alertRoutes } from "../../http/routes/alerts.ts";
import { defined } from "../../lib/defined.ts";
import { withCamelCase } from "../../lib/snake-case.ts";
import { alertLines } from "../alert-lines.ts";
import { type ApiContext, callsIn, withCalls } from "../api.ts";
import type { CommandContext, InCatalog } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { listOf, numberOrText } from "../options.ts";

const CATALOG = ["--catalog <slug>", "which catalog"] as const;

export function alertCommands(program: Command, commandContext: CommandContext): void {
  const context = withCalls(commandContext, alertRoutes);
  const alerts = program.command("alerts").description("what needs attention, and who is mailed about it");
  listCommand(alerts, context);
  setCommand(alerts, context);
  testCommand(alerts, context);
}

const MAX_LIMIT = 500;

function listCommand(alerts: Command, { withCatalog, command, print }: ApiContext): void {
  alerts
    .command("list", { isDefault: true })
    .description("list what needs attention, and who is mailed")
    .requiredOption(...CATALOG)
    .option("--resolved", "list what is over, newest first")
    .option("--limit <number>", `how many, up to ${MAX_LIMIT}`, "100")
    .action(
      async ({ catalog, resolved = false, limit }: InCatalog & { resolved?: boolean; limit: string }) => {
        const query = {
          state: resolved ? "resolved" : "open",
          limit: numberOrText(limit),
        } as const;
        const found = await withCatalog(catalog, async ({ id: catalogId }, system) => {
          const call = callsIn(system, alertRoutes, { catalogId, command: command() });
          const settings = await call("getAlertSettings", AlertSettingsAnswer);
          return { ...(await call("listAlerts", AlertsAnswer, query)), settings };
        });
        print(found, () => [
          ...(found.alerts.length === 0 ? [resolved ? "Nothing is resolved." : "Nothing is open."] : []),
          ...found.alerts.flatMap(alertLines),
          settingsLine(found.settings),
        ]);
      },
    );
}

function settingsLine(settings: AlertSettings): string {
  const { recipients, digestAt, timeZone, mailConfigured, mailFailingSince, mailError } =
    withCamelCase(settings);
  if (recipients.length === 0)
    return "No mail is sent, because there are no recipients: shelfwire alerts set --to <addresses>.";
  const to = recipients.join(", ");
  if (!mailConfigured) return `Mail is off until SMTP_URL and MAIL_FROM are set; recipients: ${to}.`;
  const failing = mailFailingSince === null ? "" : ` Mail fails: ${mailError ?? "no reason is recorded"}`;
  return `Mailed to ${to}${digestAt === null ? "; no digest" : `; digest at ${digestAt} ${timeZone}`}.${failing}`;
}

type SetOptions = InCatalog & {
  readonly to?: string;
  readonly digestAt?: string;
  readonly timeZone?: string;
  readonly maxFeedAgeH?: string;
  readonly minScoreDrop?: string;
};

function setCommand(alerts: Command, { call, print }: ApiContext): void {
  alerts
    .command("set")
    .description("set who is mailed, and what is an alert; the rest is unchanged")
    .requiredOption(...CATALOG)
    .option("--to <addresses>", "recipients, separated by commas; empty for none")
    .option("--digest-at <time>", "when the daily digest is sent, e.g. 07:00, or never")
    .option("--time-zone <name>", "of the digest and of times in mails, e.g. Europe/Berlin")
    .option("--max-feed-age-h <hours>", "files that are older are an alert, or never")
    .option("--min-score-drop <points>", "a score that fell by so much within seven days is an alert")
    .action(async ({ catalog, ...options }: SetOptions) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0) throw invalidRequest("Name what to change, such as --to.");
      const settings = await call(catalog, "changeAlertSettings", AlertSettingsAnswer, change);
      print(settings, () => [settingsLine(settings)]);
    });
}

const NEVER = "never";

/** The schema of the call says which values it takes. */
function changeOf({ to, digestAt, timeZone, maxFeedAgeH, minScoreDrop }: Omit<SetOptions, "catalog">) {
  return defined({
    recipients: to === undefined ? undefined : listOf(to),
    digest_at: digestAt === NEVER ? null : digestAt,
    time_zone: timeZone,
    max_feed_age_h: maxFeedAgeH === NEVER ? null : maxFeedAgeH && numberOrText(maxFeedAgeH),
    min_score_drop: minScoreDrop && numberOrText(minScoreDrop),
  });
}

function testCommand(alerts: Command, { call, print, endWith }: ApiContext): void {
  alerts
    .command("test")
    .description("send a mail to every recipient now")
    .requiredOption(...CATALOG)
    .action(async ({ catalog }: InCatalog) => {
      const { results } = await call(catalog, "sendTestMail", TestMailAnswer);
      print({ results }, () =>
        results.map(({ recipient, error }) => `${recipient}: ${error ?? "the mail server took it"}`),
      );
      if (results.some(({ sent }) => !sent)) endWith(FINDINGS);
    });
}
