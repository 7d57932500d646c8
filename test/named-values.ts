/** Options and details as drafts and items have them: `{ Color: "Red" }` becomes a list of names and values. */
export function namedValues(values: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
