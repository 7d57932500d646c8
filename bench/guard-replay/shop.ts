/** A shop as the publish guard sees it: the facts of its items, and what changes from one render to the next. */
import type { ItemFacts } from "../../src/pipeline/render/item-facts.ts";
import { FILLED_FIELDS, type FilledField } from "../../src/pipeline/render/item-facts.ts";
import { TotalsCounter } from "../../src/pipeline/render/render-totals.ts";
import {
  ChangeCounter,
  type GuardFigures,
  type RenderFigures,
} from "../../src/pipeline/publication/guard/figures.ts";
import { randomness, type Randomness } from "../randomness.ts";

export type Product = ItemFacts & {
  /** Its part of a file. */
  readonly bytes: number;
};

export const HOSTS = {
  shop: 1,
  images: 2,
  staging: 3,
  otherImages: 4,
  newShop: 5,
  /** The first of those of a marketplace. */
  sellers: 10,
} as const;

const HOST_NAMES: Readonly<Record<string, string>> = {
  1: "shop.example",
  2: "cdn.example",
  3: "staging.shop.example",
  4: "images.example",
  5: "shop.example.org",
};

export const bitOf = (field: FilledField): number => 1 << FILLED_FIELDS.indexOf(field);
export const without = ({ filled }: ItemFacts, field: FilledField): number => filled & ~bitOf(field);
const has = ({ filled }: ItemFacts, field: FilledField): boolean => (filled & bitOf(field)) !== 0;

/**
 * What the renderers leave out: google takes no item without text, image or price, OpenAI none without a brand either.
 */
const FILES = {
  "acp.csv": (item: Product) => isComplete(item) && has(item, "brand"),
  "gmc.tsv": (item: Product) => isComplete(item),
} as const;
const FILE_NAMES = Object.keys(FILES) as readonly (keyof typeof FILES)[];

const isComplete = (item: Product): boolean =>
  has(item, "description") && has(item, "image") && item.price > 0;

type Files = Record<string, { written: number; refused: number; bytes: number }>;

export class Shop {
  readonly random: Randomness;
  readonly products = new Map<string, Product>();
  private totals = new TotalsCounter();
  private files: Files = Object.fromEntries(
    FILE_NAMES.map((file) => [file, { written: 0, refused: 0, bytes: 0 }]),
  );
  /** What was published of each item that has changed since. */
  private readonly before = new Map<string, Product | undefined>();
  /** Hosts that a move was announced to. */
  expectedHosts: readonly string[] = [];
  private published: RenderFigures | null = null;
  private made = 0;

  constructor(seed: number) {
    this.random = randomness(seed);
  }

  newId(): string {
    this.made += 1;
    return `p${this.made}`;
  }

  /** Adds, replaces or, without a product, removes an item. */
  set(id: string, product: Product | undefined): void {
    const old = this.products.get(id);
    if (!this.before.has(id)) this.before.set(id, old);
    this.count(old, -1);
    this.count(product, 1);
    if (product) this.products.set(id, product);
    else this.products.delete(id);
  }

  change(id: string, changed: Partial<Product>): void {
    const product = this.products.get(id);
    if (product) this.set(id, { ...product, ...changed });
  }

  /** Ids of a share of the items, chosen at random; at least of none. */
  some(share: number): readonly string[] {
    const ids: string[] = [];
    for (const id of this.products.keys()) if (this.random.chance(share)) ids.push(id);
    return ids;
  }

  /** What the guard compares. Undefined before the first publication. */
  figures(): GuardFigures | undefined {
    if (!this.published) return undefined;
    const counter = new ChangeCounter({
      before: HOST_NAMES,
      after: HOST_NAMES,
      expected: this.expectedHosts,
    });
    for (const [id, was] of this.before) {
      const is = this.products.get(id);
      if (was && is) counter.changed(was, is);
      else if (was) counter.removed(Buffer.from(id));
      else if (is) counter.added(Buffer.from(id));
    }
    return { before: this.published, after: this.render(), changes: counter.changes() };
  }

  publish(): void {
    this.published = this.render();
    this.before.clear();
  }

  /** Back to what is published. */
  undo(): void {
    for (const [id, product] of this.before) this.set(id, product);
    this.before.clear();
  }

  private render(): RenderFigures {
    const files = FILE_NAMES.map((file) => ({ file, written: 0, refused: 0, bytes: 0, ...this.files[file] }));
    return { items: this.products.size, files, totals: this.totals.totals() };
  }

  private count(product: Product | undefined, change: 1 | -1): void {
    if (!product) return;
    this.totals.count(product, change);
    for (const file of FILE_NAMES) {
      const counted = this.files[file];
      if (!counted) continue;
      counted.written += change;
      if (!FILES[file](product)) counted.refused += change;
      counted.bytes += change * product.bytes;
    }
  }
}

/** A hash as texts and addresses have it: never 0. */
export const anyHash = (random: Randomness): number => 1 + random.below(2 ** 32 - 1);

/** Prices of a shop: from `least` to `most`, cheap ones more often. */
export function anyPrice(random: Randomness, [least, most]: readonly [number, number]): number {
  const share = random.below(1_000_000) / 1_000_000;
  const price = least * (most / least) ** share;
  return Math.max(1, Math.round(price) - (random.chance(0.7) ? 1 : 0));
}
