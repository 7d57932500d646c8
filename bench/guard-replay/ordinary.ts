/**
 * Ordinary life: shops of several kinds, each with what happens to it within 100 days. Nothing of it is an accident, so
 * that each held render is a false alarm.
 */
import type { Availability } from "../../src/catalog/item.ts";
import { anyHash, anyPrice, bitOf, HOSTS, type Product, Shop } from "./shop.ts";

export const DAYS = 100;

export type Life = {
  readonly name: string;
  readonly what: string;
  readonly seeds: number;
  readonly open: (seed: number) => Shop;
  readonly day: (shop: Shop, day: number) => void;
};

type Range = readonly [number, number];

function product(shop: Shop, prices: Range, more: Partial<Product> = {}): Product {
  const { random } = shop;
  const fields = (
    [
      ["description", 0.99],
      ["image", 0.995],
      ["brand", 0.95],
      ["gtin", 0.7],
      ["group_id", 0.5],
      ["color", 0.5],
      ["categories", 1],
      ["quantity", 1],
    ] as const
  ).filter(([, share]) => random.chance(share));
  return {
    price: anyPrice(random, prices),
    currency: "EUR",
    isOnSale: false,
    availability: random.chance(0.88) ? "in_stock" : "out_of_stock",
    filled: fields.reduce((bits, [field]) => bits | bitOf(field), 0),
    linkHost: HOSTS.shop,
    imageHost: HOSTS.images,
    bytes: 700 + random.below(900),
    ...anyTexts(shop),
    link: anyHash(random),
    image: anyHash(random),
    isTitleId: false,
    isGarbled: false,
    isFarApart: false,
    ...more,
  };
}

/** Of a product, or of one whose texts are written anew. */
const anyTexts = ({ random }: Shop) => ({
  title: anyHash(random),
  description: anyHash(random),
  titleStart: random.below(2 ** 16),
  titleLength: 15 + random.below(60),
});

function opened(
  seed: number,
  items: number,
  prices: Range,
  more: (at: number) => Partial<Product> = () => ({}),
): Shop {
  const shop = new Shop(seed);
  for (let at = 0; at < items; at++) shop.set(shop.newId(), product(shop, prices, more(at)));
  shop.publish();
  return shop;
}

const flipped = (availability: Availability): Availability =>
  availability === "in_stock" ? "out_of_stock" : "in_stock";

/** Stock moves in both directions, so that the shares stay as they are. */
function moveStock(shop: Shop, share: number): void {
  for (const id of shop.some(share)) {
    const { availability = "in_stock" } = shop.products.get(id) ?? {};
    // Most items are in stock: one that is out comes back sooner.
    if (availability === "in_stock" ? shop.random.chance(0.2) : shop.random.chance(1))
      shop.change(id, { availability: flipped(availability) });
  }
}

function movePrices(shop: Shop, share: number, most: number): void {
  for (const id of shop.some(share)) {
    const { price = 0 } = shop.products.get(id) ?? {};
    const factor = 1 + (most * (shop.random.below(2_001) - 1_000)) / 1_000;
    shop.change(id, { price: Math.max(1, Math.round(price * factor)) });
  }
}

function replaceItems(shop: Shop, share: number, prices: Range): void {
  for (const id of shop.some(share)) shop.set(id, undefined);
  addItems(shop, Math.round(share * shop.products.size), prices);
}

function addItems(shop: Shop, count: number, prices: Range, more: Partial<Product> = {}): void {
  for (let at = 0; at < count; at++) shop.set(shop.newId(), product(shop, prices, more));
}

/** Without the mark of a sale. */
function reduce(shop: Shop, share: number, factor: number): void {
  for (const id of shop.some(share)) {
    const { price = 0 } = shop.products.get(id) ?? {};
    shop.change(id, { price: Math.max(1, Math.round(price * factor)) });
  }
}

const PLACEHOLDER = 7;

/** A sale: a part of the items is reduced, and afterwards as before. */
class Sale {
  private readonly regular = new Map<string, number>();

  begin(shop: Shop, share: number, [least, most]: Range): void {
    for (const id of shop.some(share)) {
      const { price = 0 } = shop.products.get(id) ?? {};
      this.regular.set(id, price);
      const off = (least + shop.random.below(most - least + 1)) / 100;
      shop.change(id, { price: Math.max(1, Math.round(price * (1 - off))), isOnSale: true });
    }
  }

  end(shop: Shop): void {
    for (const [id, price] of this.regular) shop.change(id, { price, isOnSale: false });
    this.regular.clear();
  }
}

/** For lives that keep something from day to day. */
function withSale(day: (shop: Shop, day: number, sale: Sale) => void): Life["day"] {
  const sales = new WeakMap<Shop, Sale>();
  return (shop, at) => {
    const sale = sales.get(shop) ?? new Sale();
    sales.set(shop, sale);
    day(shop, at, sale);
  };
}

const BOUTIQUE: Range = [1_500, 30_000];
const FASHION: Range = [1_000, 40_000];
const ELECTRONICS: Range = [300, 250_000];
const GROCERY: Range = [50, 4_000];

export const ORDINARY: readonly Life[] = [
  {
    name: "handmade",
    what: "15 single pieces; up to six sell out or arrive in a day",
    seeds: 20,
    open: (seed) => opened(seed, 15, BOUTIQUE),
    day: (shop) => {
      moveStock(shop, 0.25);
      if (shop.random.chance(0.15))
        for (const id of shop.some(0.3)) shop.change(id, { availability: "out_of_stock" });
      if (shop.random.chance(0.3)) addItems(shop, 1 + shop.random.below(4), BOUTIQUE);
      if (shop.random.chance(0.3)) replaceItems(shop, 0.08, BOUTIQUE);
    },
  },
  {
    name: "boutique",
    what: "120 items; a delivery each week, a sale of a third of the items in each of two months",
    seeds: 10,
    open: (seed) => opened(seed, 120, BOUTIQUE),
    day: withSale((shop, day, sale) => {
      moveStock(shop, 0.08);
      movePrices(shop, 0.01, 0.2);
      if (day % 7 === 3) addItems(shop, 4 + shop.random.below(8), BOUTIQUE);
      if (day % 7 === 5) replaceItems(shop, 0.04, BOUTIQUE);
      if (day % 50 === 20) sale.begin(shop, 0.35, [20, 70]);
      if (day % 50 === 40) sale.end(shop);
    }),
  },
  {
    name: "new shop",
    what: "grows from 20 to some 1,500 items; up to 60 new ones in a day",
    seeds: 10,
    open: (seed) => opened(seed, 20, BOUTIQUE),
    day: (shop) => {
      moveStock(shop, 0.05);
      movePrices(shop, 0.05, 0.3);
      if (shop.random.chance(0.5)) addItems(shop, shop.random.below(60), BOUTIQUE);
    },
  },
  {
    name: "fashion",
    what: "1,000 items; two season changes, each replaces half of the items within a week, with a clearance sale before it",
    seeds: 2,
    open: (seed) => opened(seed, 1_000, FASHION),
    day: withSale((shop, day, sale) => {
      moveStock(shop, 0.1);
      const inSeason = day % 50;
      if (inSeason === 15) sale.begin(shop, 0.5, [30, 80]);
      if (inSeason === 30) sale.end(shop);
      if (inSeason >= 31 && inSeason <= 37) replaceItems(shop, 0.09, FASHION);
      else replaceItems(shop, 0.005, FASHION);
    }),
  },
  {
    name: "electronics",
    what: "1,000 items; a third get new prices every day, suppliers run out of whole ranges",
    seeds: 2,
    open: (seed) => opened(seed, 1_000, ELECTRONICS),
    day: (shop, day) => {
      movePrices(shop, 0.33, 0.08);
      moveStock(shop, 0.06);
      replaceItems(shop, 0.01, ELECTRONICS);
      if (day % 20 === 10)
        for (const id of shop.some(0.12)) shop.change(id, { availability: "out_of_stock" });
      if (day % 20 === 14) for (const id of shop.some(0.6)) shop.change(id, { availability: "in_stock" });
    },
  },
  {
    name: "groceries",
    what: "1,000 items; a sixth are out of stock in the morning and back the next day, offers of the week",
    seeds: 2,
    open: (seed) => opened(seed, 1_000, GROCERY),
    day: withSale((shop, day, sale) => {
      moveStock(shop, 0.5);
      movePrices(shop, 0.02, 0.15);
      if (day % 7 === 0) sale.end(shop);
      if (day % 7 === 1) sale.begin(shop, 0.1, [10, 50]);
    }),
  },
  {
    name: "Black Friday",
    what: "1,000 items; four fifths are reduced by 20 to 75 % at midnight, a quarter sells out within four days",
    seeds: 2,
    open: (seed) => opened(seed, 1_000, ELECTRONICS),
    day: withSale((shop, day, sale) => {
      moveStock(shop, 0.05);
      movePrices(shop, 0.03, 0.1);
      if (day === 55) sale.begin(shop, 0.8, [20, 75]);
      if (day >= 55 && day < 59)
        for (const id of shop.some(0.08)) shop.change(id, { availability: "out_of_stock" });
      if (day === 59) sale.end(shop);
      if (day === 62) for (const id of shop.some(0.7)) shop.change(id, { availability: "in_stock" });
    }),
  },
  {
    name: "marketplace",
    what: "2,000 items of 40 sellers; 4 % of them go and others come every day, a seller leaves or joins now and then",
    seeds: 1,
    open: (seed) =>
      opened(seed, 2_000, ELECTRONICS, (at) => ({
        linkHost: HOSTS.sellers + (at % 40),
        imageHost: HOSTS.sellers + (at % 40),
      })),
    day: (shop, day) => {
      moveStock(shop, 0.08);
      movePrices(shop, 0.15, 0.1);
      replaceItems(shop, 0.04, ELECTRONICS);
      if (day % 15 === 4) {
        const seller = HOSTS.sellers + shop.random.below(40);
        for (const [id, { linkHost }] of shop.products) if (linkHost === seller) shop.set(id, undefined);
        addItems(shop, 75, ELECTRONICS, {
          linkHost: HOSTS.sellers + 41 + day,
          imageHost: HOSTS.sellers + 41 + day,
        });
      }
    },
  },
  {
    name: "seasonal sale",
    what: "500 items; twice, nine tenths of them are reduced by 20 %, once with and once without the mark of a sale",
    seeds: 4,
    open: (seed) => opened(seed, 500, FASHION),
    day: withSale((shop, day, sale) => {
      moveStock(shop, 0.08);
      if (day === 20) sale.begin(shop, 0.9, [20, 20]);
      if (day === 34) sale.end(shop);
      if (day === 60) reduce(shop, 0.9, 0.8);
      if (day === 74) reduce(shop, 1, 1.25);
    }),
  },
  {
    name: "new collection",
    what: "500 items; a quarter as many come at once, with one image for all of them until the photographs are ready",
    seeds: 4,
    open: (seed) => opened(seed, 500, FASHION),
    day: (shop, day) => {
      moveStock(shop, 0.08);
      if (day % 40 === 10) addItems(shop, 125, FASHION, { image: PLACEHOLDER });
      if (day % 40 === 17)
        for (const [id, { image }] of shop.products)
          if (image === PLACEHOLDER) shop.change(id, { image: anyHash(shop.random) });
    },
  },
  {
    name: "rebrand",
    what: "500 items; the shop gets another name: every title, description and image changes in a day",
    seeds: 4,
    open: (seed) => opened(seed, 500, FASHION),
    day: (shop, day) => {
      moveStock(shop, 0.08);
      if (day === 50) rebrand(shop);
    },
  },
  {
    name: "new domain",
    what: "500 items; the shop moves to a domain that was announced with `expected_hosts`",
    seeds: 4,
    open: (seed) => opened(seed, 500, FASHION),
    day: (shop, day) => {
      moveStock(shop, 0.08);
      if (day === 48) shop.expectedHosts = ["shop.example.org"];
      if (day === 50)
        for (const id of shop.products.keys())
          shop.change(id, { linkHost: HOSTS.newShop, link: anyHash(shop.random) });
    },
  },
  {
    name: "content work",
    what: "1,000 items; texts are rewritten, images taken anew, attributes added and cleaned up, 5 % a day",
    seeds: 2,
    open: (seed) => opened(seed, 1_000, FASHION),
    day: (shop, day) => {
      moveStock(shop, 0.05);
      for (const id of shop.some(0.05)) {
        const { bytes = 0, filled = 0 } = shop.products.get(id) ?? {};
        shop.change(id, {
          ...anyTexts(shop),
          image: anyHash(shop.random),
          bytes: Math.round(bytes * (0.8 + shop.random.below(60) / 100)),
          filled: filled | bitOf("description"),
        });
      }
      if (day % 10 === 2) for (const id of shop.some(0.15)) shop.change(id, { filled: withoutBit(shop, id) });
      if (day % 10 === 7)
        for (const id of shop.some(0.3))
          shop.change(id, { filled: (shop.products.get(id)?.filled ?? 0) | bitOf("color") });
      if (day % 25 === 12) addItems(shop, Math.round(0.2 * shop.products.size), FASHION);
      if (day % 25 === 20) for (const id of shop.some(0.12)) shop.set(id, undefined);
    },
  },
];

/** What is printed on every page of a shop that has another name now: each title, description and image is another. */
function rebrand(shop: Shop): void {
  for (const [id, { titleLength }] of shop.products)
    shop.change(id, {
      title: anyHash(shop.random),
      description: anyHash(shop.random),
      image: anyHash(shop.random),
      titleLength: Math.max(8, titleLength - 6 + shop.random.below(12)),
    });
}

const withoutBit = (shop: Shop, id: string): number => (shop.products.get(id)?.filled ?? 0) & ~bitOf("color");
