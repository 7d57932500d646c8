/**
 * Plain objects for many fields that are set by computed names. V8 makes a hash table of `{}` when it gets more than
 * about 16 such fields; it then takes three times as long to fill and to write as JSON. The limit grows with the number
 * of fields that the constructor of the first objects assigned.
 */
function WithProperties(this: Record<string, null>, isFull: boolean): void {
  if (!isFull) return;
  this["a"] = null;
  this["b"] = null;
  this["c"] = null;
  this["d"] = null;
  this["e"] = null;
  this["f"] = null;
  this["g"] = null;
  this["h"] = null;
  this["i"] = null;
  this["j"] = null;
  this["k"] = null;
  this["l"] = null;
  this["m"] = null;
  this["n"] = null;
  this["o"] = null;
  this["p"] = null;
  this["q"] = null;
  this["r"] = null;
  this["s"] = null;
  this["t"] = null;
}
// The objects are like those of `{}`, also to comparisons.
WithProperties.prototype = Object.prototype;
const FastObject = WithProperties as unknown as new (isFull: boolean) => object;

export function objectWithFastProperties(isFull = false): object {
  return new FastObject(isFull);
}

/** V8 decides after seven objects for how many properties it reserves space in the next ones. */
for (let i = 0; i < 10; i += 1) objectWithFastProperties(true);
