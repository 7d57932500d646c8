/**
 * Regular expressions of rules, in RE2's syntax: whatever the pattern and the text, the time is proportional to the length of the
 * text. JavaScript's own expressions can take years for a few dozen characters.
 */
import { RE2JS } from "re2js";
import { RuleError } from "./problem.ts";

export type Pattern = RE2JS;

/** Instructions of a compiled pattern, each of which may be looked at for each character: `(\w{1,50}){20}` has thousands. */
const MAX_SIZE = 1_000;

/** `isFolded`: the texts are in lower case, as those of conditions are. */
export function compilePattern(
  source: string,
  pointer: string,
  { isFolded = false }: { readonly isFolded?: boolean } = {},
): Pattern {
  if (source === "") throw new RuleError("invalid_pattern", pointer, "The pattern is empty.");
  const pattern = compiled(source, pointer, isFolded);
  if (pattern.programSize() <= MAX_SIZE) return pattern;
  const message = "The pattern repeats too much. Use * or + in place of large numbers in braces.";
  throw new RuleError("invalid_pattern", pointer, message);
}

function compiled(source: string, pointer: string, isFolded: boolean): Pattern {
  try {
    return RE2JS.compile(source, isFolded ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
    const message = `The pattern is no regular expression of RE2: ${reason.slice(0, 120)}.`;
    throw new RuleError("invalid_pattern", pointer, message);
  }
}

/** Replaces every match; `$1` and `${name}` stand for groups. Undefined if the text would be longer than the limit. */
export function replaceMatches(
  text: string,
  pattern: Pattern,
  { replacement, limit }: { readonly replacement: Replacement; readonly limit: number },
): string | undefined {
  const matcher = pattern.matcher(text);
  let [result, at] = ["", 0];
  while (matcher.find()) {
    result += text.slice(at, matcher.start()) + replacement((group) => matcher.group(group) ?? "");
    if (result.length > limit) return undefined;
    at = matcher.end();
  }
  return result + text.slice(at);
}

export type Replacement = (group: (name: string | number) => string) => string;

/** `$1`, `${name}`, and `$$` for the sign itself. */
const GROUP = /\$(?:(\d)|\{(\w+)\}|(\$))/g;

/** Throws if it names a group that the pattern does not have. */
export function compileReplacement(text: string, pattern: Pattern, pointer: string): Replacement {
  const named: ReadonlySet<string> = new Set(Object.keys(pattern.namedGroups()));
  for (const [written, digit, name] of text.matchAll(GROUP)) {
    const isKnown =
      digit !== undefined ? Number(digit) <= pattern.groupCount() : name === undefined || named.has(name);
    if (isKnown) continue;
    const message = `The pattern has no group ${written}. Write $$ for the sign itself.`;
    throw new RuleError("invalid_pattern", pointer, message);
  }
  return (group) =>
    text.replaceAll(GROUP, (_, digit?: string, name?: string) =>
      digit !== undefined ? group(Number(digit)) : name !== undefined ? group(name) : "$",
    );
}
