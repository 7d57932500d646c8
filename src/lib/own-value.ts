/**
 * The entry of a table for a text from outside. `table[name]` would also find what every object has: "constructor" and
 * "toString" are no entries.
 */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
