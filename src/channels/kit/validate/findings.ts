/**
 * Collects what a validator finds. Everything is counted; only the first problems are kept, so a file with a million
 * faults needs no more memory than one with a thousand. Of each rule the first examples are kept in any case: a rule
 * that fires on every row must not hide the one that fires once.
 */

export const SEVERITIES = ["error", "warning", "info"] as const;
/** `error`: the file or the item is refused. `warning`: a value is dropped or the item reaches fewer people. */
export type Severity = (typeof SEVERITIES)[number];

export type Problem = {
  /** Counted from 1; null where the whole file is meant. */
  readonly line: number | null;
  readonly itemId: string | null;
  /** The file's own name for what is wrong. */
  readonly field: string | null;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** What was found there, cut to 80 characters. */
  readonly value: string | null;
};

export type Rule = {
  readonly severity: Severity;
  readonly sentence: string;
  /** The lesser severity, and the end of a sentence that says where it applies. */
  readonly mild?: { readonly severity: Severity; readonly when: string };
};

export type RuleTable = Readonly<Record<string, Rule>>;

const ruleOf =
  (severity: Severity) =>
  (sentence: string, mild?: Rule["mild"]): Rule =>
    mild === undefined ? { severity, sentence } : { severity, sentence, mild };

export const error = ruleOf("error");
export const warning = ruleOf("warning");
export const info = ruleOf("info");

export function mildly(severity: Severity, when: string): Rule["mild"] {
  return { severity, when };
}

/** V8 copies slices shorter than this by itself. */
const SHORTEST_SLICE = 13;

/** The same text, holding on to nothing else. */
export function detached(text: string): string {
  if (text.length < SHORTEST_SLICE) return text;
  // One byte a character where that is enough.
  const encoding = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}

/** How often one rule fired with one severity. */
export type RuleCount = {
  readonly rule: string;
  readonly severity: Severity;
  readonly sentence: string;
  readonly count: number;
  readonly examples: readonly Problem[];
};

export type Said = {
  readonly field?: string | undefined;
  readonly value?: string | undefined;
  /** A sentence about this very case, instead of the rule's. */
  readonly detail?: string | undefined;
  readonly isMild?: boolean;
};

export type Summary = {
  readonly counts: Readonly<Record<Severity, number>>;
  /** Worst first, then the most frequent. */
  readonly rules: readonly RuleCount[];
  /** The first problems, errors before warnings before advice; each severity in the order of the file. */
  readonly problems: readonly Problem[];
};

const EXAMPLES = 3;
const LONGEST_VALUE = 80;
/** Of ids and names of fields: longer than any real one. */
const LONGEST = 200;
const LONGEST_MESSAGE = 400;

type Tally = { readonly rule: Rule; count: number; readonly examples: Problem[] };

export class Collector {
  private readonly rules: RuleTable;
  private readonly most: number;
  private readonly tallies = new Map<string, Tally>();
  private readonly kept: Readonly<Record<Severity, Problem[]>> = { error: [], warning: [], info: [] };

  constructor(rules: RuleTable, most: number) {
    this.rules = rules;
    this.most = most;
  }

  add(id: string, place: { readonly line: number | null; readonly itemId: string | null }, said: Said): void {
    const rule = this.rules[id];
    if (rule === undefined) throw new Error(`there is no rule ${id}`);
    const severity = severityOf(rule, said);
    const tally = this.tallyOf(id, severity, rule);
    tally.count += 1;
    const kept = this.kept[severity];
    if (tally.examples.length >= EXAMPLES && kept.length >= this.most) return;
    const problem: Problem = {
      line: place.line,
      itemId: shortened(place.itemId, LONGEST),
      field: shortened(said.field, LONGEST),
      rule: id,
      severity,
      message: shortened(said.detail, LONGEST_MESSAGE) ?? rule.sentence,
      value: shortened(said.value, LONGEST_VALUE),
    };
    if (tally.examples.length < EXAMPLES) tally.examples.push(problem);
    if (kept.length < this.most) kept.push(problem);
  }

  summary(): Summary {
    const rules = [...this.tallies].map(([key, { rule, count, examples }]) => {
      const [severity, id] = split(key);
      return { rule: id, severity, sentence: rule.sentence, count, examples };
    });
    rules.sort((a, b) => rank(a.severity) - rank(b.severity) || b.count - a.count);
    const counted = (severity: Severity) =>
      rules.reduce((sum, rule) => sum + (rule.severity === severity ? rule.count : 0), 0);
    return {
      counts: { error: counted("error"), warning: counted("warning"), info: counted("info") },
      rules,
      problems: SEVERITIES.flatMap((severity) => this.kept[severity]).slice(0, this.most),
    };
  }

  private tallyOf(id: string, severity: Severity, rule: Rule): Tally {
    const key = `${severity} ${id}`;
    let tally = this.tallies.get(key);
    if (tally === undefined) {
      tally = { rule, count: 0, examples: [] };
      this.tallies.set(key, tally);
    }
    return tally;
  }
}

function severityOf({ severity, mild }: Rule, { isMild = false }: Said): Severity {
  return isMild && mild !== undefined ? mild.severity : severity;
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function split(key: string): readonly [Severity, string] {
  const space = key.indexOf(" ");
  return [key.slice(0, space) as Severity, key.slice(space + 1)];
}

/** Never half of a character; an ellipsis says that there was more. */
function shortened(text: string | null | undefined, longest: number): string | null {
  if (text === null || text === undefined) return null;
  if (text.length <= longest) return detached(text);
  const kept = text.slice(0, longest - 1).toWellFormed();
  return detached(`${kept.replace(/\uFFFD$/, "")}…`);
}

/** A collector as one format's validator sees it: only that format's rules, and always at some place in the file. */
export class Findings<Id extends string> {
  line: number | null = null;
  itemId: string | null = null;
  private readonly collector: Collector;

  constructor(collector: Collector) {
    this.collector = collector;
  }

  /** All that is said from now on is about this place. */
  at(line: number | null, itemId: string | null): void {
    this.line = line;
    this.itemId = itemId;
  }

  say(rule: Id, said: Said = {}): void {
    this.collector.add(rule, this, said);
  }

  /** For what turns out only later. */
  sayAt(place: { readonly line: number | null; readonly itemId: string | null }, rule: Id, said: Said): void {
    this.collector.add(rule, place, said);
  }
}
