/**
 * The first values in feed order, for example the first items with a finding. A pass that visits only what has changed
 * starts from the list of the pass before: it drops the values of places that changed and adds what it finds. If a full
 * list lost values, the next ones are not known: `missingFrom` says where to look for them.
 */
export type PlacedValue<Value> = { readonly place: string; readonly value: Value };

export class FirstFew<Value> {
  private readonly most: number;
  /** The values of the pass before, in feed order, without those that were dropped. */
  private before: readonly PlacedValue<Value>[];
  private readonly found: PlacedValue<Value>[] = [];
  private readonly hadValues: boolean;
  /** The last place of a full list: further values of this place, and values after it, may be missing. */
  private readonly knownUpTo: string | undefined;

  constructor(most: number, before: readonly PlacedValue<Value>[] = []) {
    this.most = most;
    this.before = before;
    this.hadValues = before.length > 0;
    this.knownUpTo = before.length < most ? undefined : before.at(-1)?.place;
  }

  /** Whether further values of this pass, which come in feed order, cannot be among the first. */
  get isFull(): boolean {
    return this.found.length >= this.most;
  }

  /** Places are added in feed order, except those that were missing. */
  add(place: string, value: Value): void {
    this.found.push({ place, value });
  }

  /** Before the missing values of a place are added: the list may have some of them. */
  refill(place: string): void {
    if (place === this.knownUpTo) this.drop(place);
  }

  drop(place: string): void {
    if (this.before.some((one) => one.place === place))
      this.before = this.before.filter((one) => one.place !== place);
  }

  /**
   * The place from which on values may be missing, up to `end`, which was searched; undefined if the list is complete.
   */
  missingFrom(end = this.knownUpTo): string | undefined {
    if (this.knownUpTo === undefined || end === undefined) return undefined;
    const known = [...this.before, ...this.found].filter(({ place }) => comparePlaces(place, end) <= 0);
    return known.length < this.most ? this.knownUpTo : undefined;
  }

  list(): readonly PlacedValue<Value>[] {
    if (!this.hadValues) return this.found.slice(0, this.most);
    return [...this.before, ...this.found]
      .toSorted((a, b) => comparePlaces(a.place, b.place))
      .slice(0, this.most);
  }
}

/** The order of the database: by bytes. */
export const comparePlaces = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
