/**
 * Remembers which 64-bit keys have come by, in a bounded room: eight bytes a place, at most two million places, which
 * is 16 MB. When it is full it learns nothing more and says so, so that "not seen" is never claimed of a key that
 * may have been. What it answers depends on the keys and their order alone.
 */
export type Seen = "new" | "seen" | "full";

const FIRST_PLACES = 1 << 10;
const MOST_PLACES = 1 << 21;
/** Half full at most: beyond that, finding a free place takes long. */
const MOST_KEYS = MOST_PLACES / 2;

export class SeenTable {
  private places = new Uint32Array(2 * FIRST_PLACES);
  private mask = FIRST_PLACES - 1;
  private keys = 0;
  private readonly limit: number;

  constructor(limit = MOST_KEYS) {
    this.limit = Math.min(limit, MOST_KEYS);
  }

  /** Whether the key came by before; from now on it has. */
  add(high: number, low: number): Seen {
    // An empty place is two zeros, so the one key that looks like it shares a place with its neighbor.
    const lowKey = high === 0 && low === 0 ? 1 : low;
    const at = this.find(high, lowKey);
    if (this.places[at] !== 0 || this.places[at + 1] !== 0) return "seen";
    if (this.keys >= this.limit) return "full";
    this.places[at] = high;
    this.places[at + 1] = lowKey;
    this.keys++;
    if (2 * this.keys > this.mask && this.mask < MOST_PLACES - 1) this.grow();
    return "new";
  }

  /** Where the key is, or the empty place where it belongs. */
  private find(high: number, low: number): number {
    const { places, mask } = this;
    let place = spread(high, low) & mask;
    while (true) {
      const at = 2 * place;
      const placeHigh = places[at];
      const placeLow = places[at + 1];
      if ((placeHigh === high && placeLow === low) || (placeHigh === 0 && placeLow === 0)) return at;
      place = (place + 1) & mask;
    }
  }

  private grow(): void {
    const old = this.places;
    this.mask = 2 * (this.mask + 1) - 1;
    this.places = new Uint32Array(2 * (this.mask + 1));
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at] ?? 0;
      const low = old[at + 1] ?? 0;
      if (high === 0 && low === 0) continue;
      const free = this.find(high, low);
      this.places[free] = high;
      this.places[free + 1] = low;
    }
  }
}

/** Neighboring numbers, such as the GTINs of one maker, must not crowd together. */
function spread(high: number, low: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
