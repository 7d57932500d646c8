/**
 * Texts in which a pattern may take longer than linear time, made from the pattern itself: for each of its repetitions,
 * what comes before it and what it repeats. The text repeats the repetition alone, which finds two repetitions that
 * share characters (`\s*;\s*`), and both together, which finds a search that begins anew at every place
 * (`<title[^>]*>`).
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

export type Attack = (size: number) => string;

/** A repetition of at most this many is a constant factor. */
const FEW = 20;
/** Of the least number of repetitions, as many as this: the text stays short. */
const MOST_REPEATED = 50;
/** The second makes the rest of a pattern fail after the run, and so does one of the others. */
const AFTER = ["a", "\u0001", "\n", "<"];
/** Characters that classes are tried with; some are in nearly every class, others in few. */
const CHARACTERS = Array.from(
  "a1 \t\nAZzé<>=&;:,./\\-_()[]{}\"'#?%@!|+*~$^`€\u00a0\u0001\u0300😀" +
    "bcdefghijklmnopqrstuvwxyBCDEFGHIJKLMNOPQRSTUVWXY023456789",
);

export function attacksOn(source: string, flags: string): readonly Attack[] {
  const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, mode);
  const matched = characters(flags.replaceAll(/[^iusv]/g, ""));
  const texts = new Map<string, Attack>();
  const add = (before: string, unit: string): void => {
    for (const after of unit === "" ? [] : AFTER)
      texts.set(JSON.stringify([before, unit, after]), (size) =>
        [before, unit.repeat(Math.ceil(size / unit.length)), after].join(""),
      );
  };
  for (const { before, repeated } of repetitions(pattern, "", matched)) {
    add("", before + repeated);
    add(before, repeated);
    add("", repeated);
    add(before, repeated + before);
  }
  return [...texts.values()];
}

type Matched = (node: AST.Element | AST.QuantifiableElement) => readonly string[];
type Repetition = { readonly before: string; readonly repeated: string };

/** The characters that a class matches. */
function characters(flags: string): Matched {
  return (node) => {
    const pattern = new RegExp(`^(?:${node.raw})$`, flags);
    return CHARACTERS.filter((character) => pattern.test(character));
  };
}

/** A short text that the node matches. */
function sample(node: AST.Element | AST.Alternative, matched: Matched): string {
  switch (node.type) {
    case "Alternative":
      return node.elements.map((element) => sample(element, matched)).join("");
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterClass":
    case "CharacterSet":
    case "ExpressionCharacterClass":
      return matched(node)[0] ?? "";
    case "Group":
    case "CapturingGroup":
      return node.alternatives[0] ? sample(node.alternatives[0], matched) : "";
    case "Quantifier":
      return sample(node.element, matched).repeat(Math.min(node.min, MOST_REPEATED));
    case "Assertion":
    case "Backreference":
    default:
      return "";
  }
}

function* repetitions(
  node: AST.Pattern | AST.Alternative | AST.Element,
  before: string,
  matched: Matched,
): Generator<Repetition> {
  if (node.type === "Alternative") {
    let text = before;
    for (const element of node.elements) {
      yield* repetitions(element, text, matched);
      text += sample(element, matched);
    }
  } else if (node.type === "Quantifier") {
    const least = sample(node, matched);
    if (node.max > FEW)
      for (const repeated of repeatedTexts(node.element, before, matched))
        yield { before: before + least, repeated };
    yield* repetitions(node.element, before, matched);
  } else if ("alternatives" in node) {
    for (const alternative of node.alternatives)
      if (alternative.type === "Alternative") yield* repetitions(alternative, before, matched);
  }
}

/** Each alternative; of a class, a character that the text before does not have, and the usual ones. */
function repeatedTexts(node: AST.QuantifiableElement, before: string, matched: Matched): readonly string[] {
  if ("alternatives" in node)
    return node.alternatives.map((one) => (one.type === "Alternative" ? sample(one, matched) : ""));
  const all = matched(node);
  const other = all.find((character) => !before.includes(character));
  return [...new Set([...all.slice(0, 5), ...(other === undefined ? [] : [other])])];
}
