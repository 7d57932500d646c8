/** An audit for a person at a terminal: the score, its reason, and the costliest problems with examples. */
import { styleText } from "node:util";
import type { AuditReport, RuleReport } from "../audit/report.ts";
import type { SyncStats } from "../pipeline/sync/ledger.ts";

const SHOWN = 10;
const EXAMPLES = 3;
const WIDTH = 30;

type Color = "red" | "yellow" | "green" | "cyan" | "dim" | "bold";
type Paint = (style: Color | Color[], text: string) => string;

const GRADE_STYLE: Readonly<Record<string, Color>> = {
  A: "green",
  B: "green",
  C: "yellow",
  D: "yellow",
  F: "red",
};

export function auditLines(report: AuditReport, read: SyncStats, hasColor: boolean): readonly string[] {
  const paint: Paint = (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text);
  return [
    "",
    ...headline(report, paint),
    "",
    ...report.dimensions.map(({ title, score, lost }) => dimensionLine(title, score, { lost, paint })),
    "",
    ...report.formats.map(
      ({ files, ready, total }) => `  ${files.join(", ").padEnd(WIDTH)} ${ready} of ${total} items ready`,
    ),
    "",
    ...problemLines(report, paint),
    ...rejectionLines(read, paint),
  ];
}

function headline({ score, grade, items, summary }: AuditReport, paint: Paint): readonly string[] {
  const style = GRADE_STYLE[grade] ?? "red";
  return [
    `  ${paint(["bold", style], `${score} / 100   ${grade}`)}   ${items.toLocaleString("en")} items`,
    `  ${summary}`,
  ];
}

const BAR = 20;

function dimensionLine(
  title: string,
  score: number | null,
  { lost, paint }: { lost: number; paint: Paint },
): string {
  if (score === null) return `  ${title.padEnd(WIDTH)} ${paint("dim", "not judged")}`;
  const full = Math.round((score / 100) * BAR);
  const bar = `${"█".repeat(full)}${paint("dim", "░".repeat(BAR - full))}`;
  return `  ${title.padEnd(WIDTH)} ${bar} ${String(score).padStart(3)}${lost > 0 ? paint("dim", `   −${lost.toFixed(2)}`) : ""}`;
}

function problemLines({ rules, items }: AuditReport, paint: Paint): readonly string[] {
  const costly = rules.filter(({ lost }) => lost > 0).slice(0, SHOWN);
  if (items === 0) return ["  There is nothing to judge: no row became an item."];
  if (costly.length === 0) return ["  Nothing to mend."];
  return [`  ${paint("bold", "Mend first")}`, "", ...costly.flatMap((rule) => ruleLines(rule, items, paint))];
}

function ruleLines(
  { id, title, lost, items, severity, advice, examples }: RuleReport,
  total: number,
  paint: Paint,
): readonly string[] {
  const style: Color = severity === "critical" ? "red" : severity === "major" ? "yellow" : "cyan";
  return [
    `  ${paint(style, `−${lost.toFixed(2)}`.padStart(7))}  ${paint("bold", title)}  ${paint("dim", `${id} · ${severity} · ${items} of ${total} items`)}`,
    `           ${advice}`,
    ...examples
      .slice(0, EXAMPLES)
      .map(({ item_id, message }) => paint("dim", `           ${item_id}: ${message}`)),
    "",
  ];
}

function rejectionLines({ rejected, seen, rejections }: SyncStats, paint: Paint): readonly string[] {
  if (rejected === 0) return [];
  return [
    `  ${paint("bold", `${rejected} of ${seen} rows are not items at all, and not in the score`)}`,
    "",
    ...rejections.slice(0, SHOWN).map(({ position, message }) => `           item ${position}: ${message}`),
    "",
  ];
}
