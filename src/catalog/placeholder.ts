/**
 * Words that stand for "nothing". OpenAI refuses them in required fields and asks to leave other values out rather
 * than to fill them so; Google disapproves items for invented identifiers. No feed of ours states one.
 */
const PLACEHOLDER = /^(?:null|none|n\/a|na|unknown|undefined|tbd|-)$/i;
const LONGEST_PLACEHOLDER = 9;

/** Whether the whole value is such a word, in whatever case. */
export function isPlaceholder(value: string): boolean {
  return value.length <= LONGEST_PLACEHOLDER && PLACEHOLDER.test(value);
}

/** The value, unless it says nothing. */
export function meaningful(value: string | undefined): string | undefined {
  return value === undefined || isPlaceholder(value) ? undefined : value;
}
