/**
 * Catalogs modeled on real ones, from excellent to unusable, each with the grade that a merchant would expect. The
 * scores are published in docs/audit.md. All data is invented.
 */
import type { Item } from "../catalog/item.ts";
import { openAudit } from "./audit.ts";
import { changed, gtin, images, PLAIN, PRODUCTS, text } from "./calibration-shop.fixture.ts";
import { groupsOf } from "./perfect.fixture.ts";
import type { AuditReport } from "./report.ts";
import type { Grade } from "../contract/audits.ts";

export type Calibration = {
  readonly name: string;
  readonly shape: string;
  readonly grade: Grade;
  /** Why this grade is right, in a phrase. */
  readonly because: string;
  readonly items: readonly Item[];
  readonly rejected?: number;
};

const NOW = new Date("2026-11-15T12:00:00.000Z");
export const CALIBRATION: readonly Calibration[] = [
  {
    name: "Brand shop with everything",
    shape: "GTINs, Google category, four images, full texts and attributes",
    grade: "A",
    because: "nothing is left to do",
    items: changed(() => ({})),
  },
  {
    name: "Handmade goods",
    shape: "no GTIN, declared so (`identifier_exists` no); three images, full texts",
    grade: "A",
    because: "an identifier that does not exist is not missed",
    items: changed(({ at }) => ({
      gtin: undefined,
      identifierExists: false,
      images: images(at, 3),
      details: undefined,
      highlights: undefined,
    })),
  },
  {
    name: "Bookshop",
    shape: "ISBNs, publishers as brands, category; one cover image, no attributes",
    grade: "A",
    because: "books are found by ISBN, and one cover is usual",
    items: changed((product) => ({
      title: `The ${product.name} Murders: A Novel (Paperback)`,
      description: text(product, 3),
      brand: "Harbor House Press",
      gtin: gtin("9780306", product.at),
      googleCategory: "784",
      images: images(product.at, 1),
      color: undefined,
      material: undefined,
      highlights: undefined,
      details: [{ name: "Author", value: "A. Vesterholm" }],
    })),
  },
  {
    name: "Brand shop with a few bad rows",
    shape: "as the first, but 2 of 50 rows have no price",
    grade: "A",
    because: "what customers see is excellent, and two products are missing",
    items: changed(() => ({})),
    rejected: 2,
  },
  {
    name: "Electronics reseller",
    shape: "GTINs and brands; two images, one-line descriptions, no category",
    grade: "B",
    because: "all items are listed and matched, but the texts do not sell them",
    items: changed((product) => ({
      ...PLAIN,
      gtin: gtin("4006381", product.at),
      title: `Fjord ${product.name} FX-${200 + product.at} 230V`,
      description: text(product, 1),
      images: images(product.at, 2),
    })),
  },
  {
    name: "Typical Shopify export",
    shape: "good texts, three images, vendor; no barcodes, no Google category",
    grade: "C",
    because: "good pages, but Google limits products that it cannot match",
    items: changed((product) => ({
      ...PLAIN,
      title: `${product.name}, ${product.color}`,
      description: text(product, 3),
      images: images(product.at, 3),
    })),
  },
  {
    name: "Affiliate feed",
    shape: "long titles, some GTINs, one image over http, one or two sentences",
    grade: "C",
    because: "usable, thin, and a third cannot be matched",
    items: changed((product) => ({
      ...PLAIN,
      ...(product.at % 3 === 0 ? {} : { gtin: gtin("4006381", product.at) }),
      description: text(product, 1 + (product.at % 2)),
      link: `https://track.example/click?p=${product.at}`,
      images: [`http://img.example/${product.at}.jpg`],
      quantity: undefined,
    })),
  },
  {
    name: "Apparel without attributes",
    shape: "clothing category and part numbers; no color, size, gender or age group; one sentence",
    grade: "C",
    because: "not found by size or color, and not shown at all in some countries",
    items: changed((product) => ({
      ...PLAIN,
      mpn: `FJ-${product.at}`,
      googleCategory: "212",
      title: `Fjord ${product.name} T-shirt`,
      description: text(product, 1),
      images: images(product.at, 2),
    })),
  },
  {
    name: "Descriptions that repeat titles",
    shape: "no identifiers, description = title, two images",
    grade: "D",
    because: "a buyer learns nothing and no channel can match it",
    items: changed((product) => ({
      ...PLAIN,
      title: `Fjord ${product.name} of ${product.material}`,
      description: `Fjord ${product.name} of ${product.material}`,
      images: images(product.at, 2),
    })),
  },
  {
    name: "Dropshipper",
    shape: 'brand "Generic", promotional titles, the supplier\'s text on every product, no identifiers',
    grade: "D",
    because: "nothing is the shop's own, and channels show such offers last",
    items: changed((product) => ({
      ...PLAIN,
      brand: "Generic",
      title: `HOT SALE 2026 ${product.name.toUpperCase()} BEST PRICE FREE SHIPPING`,
      description: `High quality! Please allow 1-3 cm deviation due to manual measurement. The color may differ between displays. Delivery takes 15 to 45 days. Contact us before you leave feedback and we will solve your problem. ${product.name}.`,
      images: images(product.at, 5),
      quantity: 999,
    })),
  },
  {
    name: "B2B parts list",
    shape: "article codes as titles and descriptions, no identifiers, no image on a third",
    grade: "F",
    because: "a third cannot be listed, the rest is not understood",
    items: changed(({ at, name, material }) => ({
      ...PLAIN,
      brand: at % 4 === 0 ? undefined : "Fjord",
      title: `${name.slice(0, 3).toUpperCase()} ${material.slice(0, 2).toUpperCase()} ${8 + at}X${40 + at}`,
      description: `${name.slice(0, 3).toUpperCase()} ${material.slice(0, 2).toUpperCase()} ${8 + at}X${40 + at} PU 100`,
      images: at % 3 === 0 ? undefined : images(at, 1),
      condition: undefined,
    })),
  },
  {
    name: "WooCommerce default",
    shape: "no brand, no identifiers, short texts, one image",
    grade: "F",
    because: "OpenAI refuses every item without a brand; one setting fixes it",
    items: changed((product) => ({
      ...PLAIN,
      brand: undefined,
      title: product.name,
      description: text(product, 1),
      images: images(product.at, 1),
      condition: undefined,
    })),
  },
  {
    name: "Placeholder catalog",
    shape: '"Item 1" as title and description, the home page as link, one logo as image',
    grade: "F",
    because: "channels take it, but nothing in it describes a product",
    items: changed(({ at }) => ({
      ...PLAIN,
      title: `Item ${at + 1}`,
      description: `Item ${at + 1}`,
      link: "https://shop.example/",
      images: ["https://shop.example/logo.png"],
    })),
  },
  {
    name: "Half of the rows rejected",
    shape: "as the first, and as many rows without a price or link",
    grade: "F",
    because: "half of the shop is missing, however good the rest is",
    items: changed(() => ({})),
    rejected: PRODUCTS.length,
  },
  {
    name: "Nearly everything rejected",
    shape: "as the first, but 47 of 48 rows cannot be read",
    grade: "F",
    because: "one product is no catalog",
    items: changed(() => ({})).slice(0, 1),
    rejected: PRODUCTS.length - 1,
  },
];

export function auditCalibration({ items, rejected = 0 }: Calibration): AuditReport {
  const audit = openAudit({
    settings: { currency: "EUR", country: "DE", sellerName: "Shop", acceptsReturns: true },
    asOf: NOW,
    freshness: { lastSyncAt: null, intervalS: null },
    rejected: { count: rejected, reasons: [], examples: [] },
  });
  for (const group of groupsOf(items)) audit.group(group);
  return audit.finish();
}
