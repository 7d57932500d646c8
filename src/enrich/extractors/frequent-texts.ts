/**
 * The most frequent of any number of texts, in bounded memory (Misra and Gries, 1982): a text that makes up more than one part
 * in `limit` of all is always kept. A count is never too high; it is exact while no more than `limit` different texts
 * have been added.
 */
export class FrequentTexts {
  readonly #counts = new Map<string, number>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    const count = this.#counts.get(text);
    if (count !== undefined) this.#counts.set(text, count + 1);
    else if (this.#counts.size < this.#limit) this.#counts.set(text, 1);
    else this.#decrementAll();
  }

  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  #decrementAll(): void {
    for (const [text, count] of this.#counts)
      if (count === 1) this.#counts.delete(text);
      else this.#counts.set(text, count - 1);
  }
}
