/** What stands before each element of a list that has one element a line: a comma before all but the first. */
export function elementSeparator(): () => string {
  let next = "\n";
  return () => {
    const separator = next;
    next = ",\n";
    return separator;
  };
}
