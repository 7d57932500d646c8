/** Plain decimal numbers as text, compared digit by digit: nothing goes through floating point. */
const DECIMAL = /^\d+(?:\.\d+)?$/;

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

export function isPositiveDecimal(text: string): boolean {
  return isDecimal(text) && /[1-9]/.test(text);
}

/** Negative, zero or positive, as for sorting; both must be decimals. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA, fractionA] = parts(a);
  const [wholeB, fractionB] = parts(b);
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  const places = Math.max(fractionA.length, fractionB.length);
  const [restA, restB] = [fractionA.padEnd(places, "0"), fractionB.padEnd(places, "0")];
  if (restA === restB) return 0;
  return restA < restB ? -1 : 1;
}

function parts(decimal: string): readonly [string, string] {
  const point = decimal.indexOf(".");
  const whole = point === -1 ? decimal : decimal.slice(0, point);
  return [whole.replace(/^0+(?=\d)/, ""), point === -1 ? "" : decimal.slice(point + 1)];
}
