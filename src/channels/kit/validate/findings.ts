/**
 * Collects the problems that a validator finds in a feed. Every kind of problem is a rule with a stable id, a severity
 * and a sentence, in tables that the report, the command line and the documentation read. All problems are counted and
 * only the first are kept, so a file with a million problems needs no more memory than a file with a thousand. The
 * first examples of each rule are always kept: a rule that fires on every row must not hide a rule that fires once.
 */
export const SEVERITIES = ["error", "warning", "info"] as const;
/** `error`: the file or the item is refused. `warning`: a value is dropped or the item reaches fewer people. */
export type FindingSeverity = (typeof SEVERITIES)[number];

export type FeedProblem = {
  /** Counted from 1; null where the whole file is meant. */
  readonly line: number | null;
  readonly itemId: string | null;
  /** The file's own name for what is wrong. */
  readonly field: string | null;
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly message: string;
  /** The value that was found there, cut to 80 characters. */
  readonly value: string | null;
};

export type FindingRule = {
  readonly severity: FindingSeverity;
  readonly sentence: string;
  /** The lesser severity, and the end of a sentence that says where it applies. */
  readonly mild?: { readonly severity: FindingSeverity; readonly when: string };
};

export type RuleTable = Readonly<Record<string, FindingRule>>;

const ruleOf =
  (severity: FindingSeverity) =>
  (sentence: string, mild?: FindingRule["mild"]): FindingRule =>
    mild === undefined ? { severity, sentence } : { severity, sentence, mild };

export const error = ruleOf("error");
export const warning = ruleOf("warning");
export const info = ruleOf("info");

export function mildly(severity: FindingSeverity, when: string): FindingRule["mild"] {
  return { severity, when };
}

/** How often one rule fired with one severity. */
export type RuleCount = Pick<FindingRule, "severity" | "sentence"> & {
  readonly rule: string;
  readonly count: number;
  readonly examples: readonly FeedProblem[];
};

export type FeedFinding = {
  readonly field?: string | undefined;
  readonly value?: string | undefined;
  /** A sentence about this case, instead of the rule's. */
  readonly detail?: string | undefined;
  /** Reports the rule's lesser severity, where it has one. */
  readonly isMild?: boolean;
};

export type FindingSummary = {
  readonly counts: Readonly<Record<FindingSeverity, number>>;
  /** Worst first, then the most frequent. */
  readonly rules: readonly RuleCount[];
  /** The first problems, errors before warnings before advice; each severity in the order of the file. */
  readonly problems: readonly FeedProblem[];
};

/** The position of a problem. */
export type ProblemPosition = { readonly line: number | null; readonly itemId: string | null };

const EXAMPLES = 3;
const LONGEST_VALUE = 80;
/** The limit for ids and names of fields, longer than any real one. */
const LONGEST = 200;
const LONGEST_MESSAGE = 400;

type RuleTally = Omit<RuleCount, "count" | "examples"> & { count: number; readonly examples: FeedProblem[] };

export class Findings<Id extends string = string> implements ProblemPosition {
  line: number | null = null;
  itemId: string | null = null;
  private readonly rules: RuleTable;
  private readonly most: number;
  private readonly tallies = new Map<string, RuleTally>();
  private readonly kept: Readonly<Record<FindingSeverity, FeedProblem[]>> = {
    error: [],
    warning: [],
    info: [],
  };

  constructor(rules: RuleTable, most: number) {
    this.rules = rules;
    this.most = most;
  }

  /** The place of everything that is added from now on. */
  at(line: number | null, itemId: string | null): void {
    this.line = line;
    this.itemId = itemId;
  }

  add(id: Id, finding: FeedFinding = {}): void {
    this.addAt(this, id, finding);
  }

  /** For what turns out only later. */
  addAt(
    { line, itemId }: ProblemPosition,
    id: Id,
    { field, value, detail, isMild = false }: FeedFinding,
  ): void {
    const rule = this.rules[id];
    if (rule === undefined) throw new Error(`there is no rule ${id}`);
    const { sentence } = rule;
    const severity = isMild && rule.mild !== undefined ? rule.mild.severity : rule.severity;
    const tally = this.tallyOf(id, severity, sentence);
    tally.count += 1;
    const kept = this.kept[severity];
    if (tally.examples.length >= EXAMPLES && kept.length >= this.most) return;
    const problem: FeedProblem = {
      line,
      itemId: shortened(itemId, LONGEST),
      field: shortened(field, LONGEST),
      rule: id,
      severity,
      message: shortened(detail, LONGEST_MESSAGE) ?? sentence,
      value: shortened(value, LONGEST_VALUE),
    };
    if (tally.examples.length < EXAMPLES) tally.examples.push(problem);
    if (kept.length < this.most) kept.push(problem);
  }

  private tallyOf(rule: string, severity: FindingSeverity, sentence: string): RuleTally {
    const key = `${severity} ${rule}`;
    const tally = this.tallies.get(key) ?? { rule, severity, sentence, count: 0, examples: [] };
    this.tallies.set(key, tally);
    return tally;
  }

  summary(): FindingSummary {
    const rank = ({ severity }: RuleCount) => SEVERITIES.indexOf(severity);
    const rules = [...this.tallies.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
    const total = (severity: FindingSeverity) =>
      rules.reduce((sum, rule) => sum + (rule.severity === severity ? rule.count : 0), 0);
    return {
      counts: { error: total("error"), warning: total("warning"), info: total("info") },
      rules,
      problems: SEVERITIES.flatMap((severity) => this.kept[severity]).slice(0, this.most),
    };
  }
}

/** Never half of a character; an ellipsis shows that there was more. */
function shortened(text: string | null | undefined, longest: number): string | null {
  if (text === null || text === undefined) return null;
  if (text.length <= longest) return detached(text);
  const kept = text.slice(0, longest - 1).toWellFormed();
  return detached(`${kept.replace(/\uFFFD$/, "")}…`);
}

/** V8 copies slices shorter than this by itself. */
const SHORTEST_SLICE = 13;

/** A copy: V8 makes a slice point into the text it was cut from, so a slice that is kept keeps a piece of the file. */
export function detached(text: string): string {
  if (text.length < SHORTEST_SLICE) return text;
  // Texts are stored with one byte per character where that is enough.
  const encoding = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}
