/**
 * Millions of texts, or a number for each of them. Of each text 64 bits of hash are kept and not the text: 11 to 21
 * bytes for each, 16 to 32 with a number. Two of a million texts share their hash once in thirty million tables; they
 * then count as the same text.
 */
import { HashTable, hashText, type HashKey } from "./hash-table.ts";

export class TextSet {
  protected readonly table: HashTable;
  private readonly key: HashKey = { high: 0, low: 0 };

  constructor(numbers = 0) {
    this.table = new HashTable(numbers);
  }

  get size(): number {
    return this.table.size;
  }

  has(text: string): boolean {
    return this.table.has(this.find(text));
  }

  add(text: string): void {
    this.placeFor(text);
  }

  protected find(text: string): number {
    hashText(text, this.key);
    return this.table.find(this.key.high, this.key.low);
  }

  /** The place of the text, which is added if it is new. */
  protected placeFor(text: string): number {
    const place = this.find(text);
    return this.table.has(place) ? place : this.table.insert(place, this.key.high, this.key.low);
  }
}

export class TextTable extends TextSet {
  constructor() {
    super(1);
  }

  /** Undefined for a text that was not added. */
  get(text: string): number | undefined {
    const place = this.find(text);
    return this.table.has(place) ? this.table.read(place) : undefined;
  }

  set(text: string, value: number): void {
    this.table.write(this.placeFor(text), value);
  }

  /** Adds one to the number of the text, which is 0 for a new one. */
  increment(text: string): void {
    const place = this.placeFor(text);
    this.table.write(place, this.table.read(place) + 1);
  }
}
