/** An audit in lines: the score, and what to fix first, with examples. */
import { counted, plural } from "../lib/counted.ts";
import { styleText } from "node:util";
import type { AuditReport, FixGain, RuleReport } from "../audit/report.ts";

const SHOWN = 10;
const EXAMPLES = 3;
const REASONS = 5;
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

export function auditLines(report: AuditReport, hasColor: boolean): readonly string[] {
  const paint: Paint = (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text);
  return [
    "",
    ...headline(report, paint),
    "",
    ...report.dimensions.map(({ title, score, lost }) => dimensionLine(title, score, { lost, paint })),
    "",
    ...report.formats.map(
      ({ files, ready, total, score }) =>
        `  ${files.join(", ").padEnd(WIDTH)} ${ready} of ${counted(total, "item")} ready, score ${score}`,
    ),
    "",
    ...problemLines(report, paint),
  ];
}

function headline({ score, grade, items, summary }: AuditReport, paint: Paint): readonly string[] {
  const style = GRADE_STYLE[grade] ?? "red";
  return [
    `  ${paint(["bold", style], `${score} / 100   ${grade}`)}   ${items.toLocaleString("en")} ${plural(items, "item")}`,
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

function problemLines(report: AuditReport, paint: Paint): readonly string[] {
  const costly = report.rules.filter(({ lost }) => lost > 0);
  if (costly.length === 0)
    return [
      report.items === 0 ? "  There is nothing to score: the source has no items." : "  Nothing to fix.",
    ];
  // A catalog without items has no score, so that no fix gains anything. Otherwise a fix gains nothing if it is worth
  // less than a point, or if other rules refuse the same items. A setting that comes before all others is first all the
  // same.
  const [first] = report.rules;
  const isFirst = (rule: RuleReport): boolean =>
    rule.gain > 0 || report.items === 0 || (rule === first && rule.field === "settings");
  const shown = costly.slice(0, SHOWN);
  const linesOf = (rules: readonly RuleReport[]) => rules.flatMap((rule) => ruleLines(rule, report, paint));
  const fixes = shown.filter(isFirst);
  const settings = fixes.filter((rule) => rule === first && rule.field === "settings");
  const rest = fixes.filter((rule) => !settings.includes(rule));
  return [
    ...section("Fix first", [...linesOf(settings), ...refusalLines(report, paint), ...linesOf(rest)], paint),
    ...section("Further problems", linesOf(shown.filter((rule) => !isFirst(rule))), paint),
    ...(costly.length > SHOWN
      ? [paint("dim", `  … and ${costly.length - SHOWN} more; --json has all`), ""]
      : []),
  ];
}

const section = (title: string, lines: readonly string[], paint: Paint): readonly string[] =>
  lines.length === 0 ? [] : [`  ${paint("bold", title)}`, "", ...lines];

/** All refusals together, if fixing them gains more than fixing any one rule. */
function refusalLines({ refusals, rules, blocked, rejected }: AuditReport, paint: Paint): readonly string[] {
  if (refusals === null || refusals.rules.length < 2) return [];
  if (refusals.gain <= Math.max(...rules.map(({ gain }) => gain))) return [];
  const what =
    rejected === 0 ? `the ${blocked} refused items` : `the ${refusals.items} refused items and rows`;
  return [
    `  ${gainOf(refusals, paint)}  ${paint("bold", `Fix ${what}`)}  ${paint("dim", ifFixed(refusals))}`,
    `         ${refusals.rules.join(", ")}`,
    "",
  ];
}

const gainOf = ({ gain }: FixGain, paint: Paint): string =>
  gain > 0 ? paint("green", `+${gain}`.padStart(5)) : " ".repeat(5);
const ifFixed = (fix: FixGain): string => `then ${fix.score_if_fixed} (${fix.grade_if_fixed})`;

/** " · then 84 (B)", with the range of gains if the fix makes other rules apply. */
function thenOf(rule: RuleReport): string {
  const { gain, gain_min: min, gain_max: max } = rule;
  if (gain === 0) return "";
  return ` · ${ifFixed(rule)}${min === max ? "" : `, +${Math.max(0, min)} to +${max} depending on the fix`}`;
}

function ruleLines(rule: RuleReport, { items, rejected }: AuditReport, paint: Paint): readonly string[] {
  const { id, title, lost, severity, advice, examples, message } = rule;
  const style: Color = severity === "critical" ? "red" : severity === "major" ? "yellow" : "cyan";
  const total = message === null ? counted(items, "item") : counted(items + rejected, "row");
  return [
    `  ${gainOf(rule, paint)}  ${paint(["bold", style], title)}  ${paint("dim", `${rule.items} of ${total}${thenOf(rule)}`)}`,
    `         ${advice}`,
    ...(message === null ? [] : [`         ${message}`]),
    ...examples.slice(0, message === null ? EXAMPLES : REASONS).map((example) => {
      const name = example.item_id === null ? "" : `${example.item_id}: `;
      return paint("dim", `         ${name}${example.message}`);
    }),
    paint("dim", `         ${id} · ${severity} · costs ${lost.toFixed(2)}`),
    "",
  ];
}
