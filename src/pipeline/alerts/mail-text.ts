/**
 * The texts of mails about alerts: plain, and the same as simple HTML. Nothing of them comes unescaped from outside.
 */
import type { Action } from "../../contract/status.ts";
import { counted, formatCount, plural } from "../../lib/counted.ts";
import { spanWords } from "../../lib/span-words.ts";
import type { AlertRow } from "../../store/alerts.ts";
import { ADVICE, meanwhileOf } from "./advice.ts";

/** What is said about the catalog in every mail. */
export type MailedCatalog = {
  readonly slug: string;
  readonly name: string;
  readonly timeZone: string;
  /** Of the files that are served; null before the first render. */
  readonly renderedAt: Date | null;
  readonly items: number;
  /** The newest render is not published: it is held, discarded or failed, or publication is paused. */
  readonly isBehind: boolean;
  /** The public address of the console; null if it is not known. */
  readonly consoleUrl: string | null;
};

export type MailText = { readonly subject: string; readonly text: string; readonly html: string };

/** A line of a mail: a heading, a paragraph, or a problem with its facts. */
type Block =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "problem"; readonly title: string; readonly facts: readonly Fact[] };
type Fact = { readonly name: string; readonly text: string; readonly href?: string };

export function problemMail(
  catalog: MailedCatalog,
  { problems, resolved }: { readonly problems: readonly AlertRow[]; readonly resolved: readonly AlertRow[] },
): MailText {
  const [first] = problems.length > 0 ? problems : resolved;
  const more = problems.length + (problems.length > 0 ? 0 : resolved.length) - 1;
  const lead = problems.length > 0 ? "" : "Resolved: ";
  return {
    subject: subjectOf(catalog, `${lead}${firstSentence(first?.message ?? "")}`, more),
    ...bodyOf(catalog, [
      ...problems.map((row) => problemBlock(catalog, row)),
      ...pastBlocks(catalog, "Resolved", resolved),
      ...(problems.length > 0 ? [servedBlock(catalog)] : []),
      {
        kind: "paragraph",
        text: "There is no further mail about these problems until they are over, except in the daily digest.",
      },
    ]),
  };
}

export function digestMail(
  catalog: MailedCatalog,
  { problems, resolved }: { readonly problems: readonly AlertRow[]; readonly resolved: readonly AlertRow[] },
): MailText {
  const stillOpen = problems.filter(({ clearedAt }) => clearedAt === null);
  const cleared = problems.filter(({ clearedAt }) => clearedAt !== null);
  const open = stillOpen.length === 0 ? "nothing is open" : `${counted(stillOpen.length, "problem")} open`;
  return {
    subject: subjectOf(catalog, `Daily digest: ${open}, ${resolved.length} resolved`, 0),
    ...bodyOf(catalog, [
      ...(stillOpen.length === 0 ? [] : [{ kind: "heading", text: "Open" } as const]),
      ...stillOpen.map((row) => problemBlock(catalog, row)),
      ...pastBlocks(catalog, "Seems to be over", cleared),
      ...pastBlocks(catalog, "Resolved", resolved),
      servedBlock(catalog),
    ]),
  };
}

export function testMail(catalog: MailedCatalog): MailText {
  const text = "This is a test. Mails about problems of this catalog arrive here; nothing is wrong.";
  return {
    subject: subjectOf(catalog, "Test of alerts", 0),
    ...bodyOf(catalog, [{ kind: "paragraph", text }, servedBlock(catalog)]),
  };
}

const MAX_SUBJECT = 150;

function subjectOf({ name }: MailedCatalog, text: string, more: number): string {
  const full = oneLine(`${name}: ${text}`);
  const short = full.length > MAX_SUBJECT ? `${full.slice(0, MAX_SUBJECT - 1).toWellFormed()}…` : full;
  return `[Shelfwire] ${short}${more > 0 ? ` (and ${more} more)` : ""}`;
}

/** No control characters and no line breaks, of any alphabet. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\s]+/gu, " ")
    .trim();

const firstSentence = (message: string): string => withoutPaths(message).split(/(?<=\.) /)[0] ?? "";

/** A path or a query may contain a token or a password; the host says enough. */
const withoutPaths = (text: string): string =>
  text.replaceAll(/\b(https?|sftp):\/\/[^\s"'<>]+/gi, (url) => {
    const parsed = URL.parse(url);
    return parsed === null || parsed.host === "" ? "[address]" : `${parsed.protocol}//${parsed.host}/…`;
  });

function problemBlock(catalog: MailedCatalog, row: AlertRow): Block {
  const { message, severity, since, code, action, times } = row;
  const { advice } = ADVICE[code];
  const href = linkOf(catalog, action);
  return {
    kind: "problem",
    title: `${severity === "failing" ? "Failing: " : ""}${oneLine(withoutPaths(message))}`,
    facts: [
      { name: "Since", text: timeText(since, catalog) },
      ...(times > 0
        ? [
            {
              name: "Again",
              text:
                times === 1 ? "It came back within a day." : `It came back ${times} times within a day each.`,
            },
          ]
        : []),
      { name: "Destinations get", text: meanwhileOf(code, catalog) },
      { name: "What to do", text: advice },
      ...(href === null ? [] : [{ name: "Open", text: href, href }]),
    ],
  };
}

function pastBlocks(catalog: MailedCatalog, heading: string, rows: readonly AlertRow[]): readonly Block[] {
  if (rows.length === 0) return [];
  return [
    { kind: "heading", text: heading },
    ...rows.map(({ message, since, clearedAt, resolvedAt }): Block => {
      const end = resolvedAt ?? clearedAt ?? since;
      const lasted = spanWords(end.getTime() - since.getTime());
      return {
        kind: "problem",
        title: oneLine(withoutPaths(message)),
        facts: [
          { name: "Since", text: timeText(since, catalog) },
          { name: "Until", text: `${timeText(end, catalog)} (${lasted})` },
        ],
      };
    }),
  ];
}

function servedBlock(catalog: MailedCatalog): Block {
  const { renderedAt, items } = catalog;
  const text =
    renderedAt === null
      ? "No feed is published yet."
      : `The feed URLs serve the files of ${timeText(renderedAt, catalog)}; the catalog has ${formatCount(items)} ${plural(items, "item")}.`;
  return { kind: "paragraph", text };
}

function timeText(at: Date, { timeZone }: MailedCatalog): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
    timeZoneName: "short",
  });
  return format.format(at);
}

/** The page of the console where something can be done. */
function linkOf({ consoleUrl, slug }: MailedCatalog, action: Action | null): string | null {
  if (consoleUrl === null) return null;
  const id = encodeURIComponent((action?.target ?? "").toWellFormed());
  const pages: Partial<Readonly<Record<Action["kind"], string>>> = {
    add_source: "/sources/new",
    open_source: `/sources/${id}`,
    sync_source: `/sources/${id}`,
    open_run: `/runs/${id}`,
    open_render: `/renders/${id}`,
    render_feeds: "/feeds",
    open_feed: `/feeds/${id}?view=refused`,
    open_audit_rule: `/audit/${id}`,
    open_webhook: `/webhooks/${id}`,
    open_destination: "/feeds",
    open_alert_settings: "/settings",
  };
  return `${consoleUrl}/c/${encodeURIComponent(slug)}${(action && pages[action.kind]) ?? ""}`;
}

function bodyOf(catalog: MailedCatalog, blocks: readonly Block[]): Pick<MailText, "text" | "html"> {
  const title = `Catalog ${oneLine(catalog.name)} (${catalog.slug})`;
  const foot = `You get this because your address is a recipient of this catalog. To change that: shelfwire alerts set --catalog ${catalog.slug}, or PATCH /api/v1/alerts/settings.`;
  return {
    text: `${[title, ...blocks.map(plainText), `-- \n${foot}`].join("\n\n")}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body style="font-family: sans-serif; font-size: 15px; line-height: 1.45; color: #1a1a1a; max-width: 42em">
<h1 style="font-size: 18px">${escaped(title)}</h1>
${blocks.map(markup).join("\n")}
<p style="color: #666; font-size: 13px; border-top: 1px solid #ccc; padding-top: 8px">${escaped(foot)}</p>
</body></html>
`,
  };
}

function plainText(block: Block): string {
  if (block.kind === "heading") return `${block.text}\n${"=".repeat(block.text.length)}`;
  if (block.kind === "paragraph") return block.text;
  const width = Math.max(...block.facts.map(({ name }) => name.length));
  return [
    block.title,
    ...block.facts.map(({ name, text }) => `  ${`${name}:`.padEnd(width + 2)}${text}`),
  ].join("\n");
}

function markup(block: Block): string {
  if (block.kind === "heading") return `<h2 style="font-size: 16px">${escaped(block.text)}</h2>`;
  if (block.kind === "paragraph") return `<p>${escaped(block.text)}</p>`;
  const rows = block.facts.map(({ name, text, href }) => {
    const value = href === undefined ? escaped(text) : `<a href="${escaped(href)}">${escaped(text)}</a>`;
    return `<tr><td style="padding: 2px 12px 2px 0; color: #666; vertical-align: top; white-space: nowrap">${escaped(name)}</td><td style="padding: 2px 0">${value}</td></tr>`;
  });
  return `<p style="margin: 20px 0 4px"><strong>${escaped(block.title)}</strong></p>
<table style="border-collapse: collapse">${rows.join("")}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
