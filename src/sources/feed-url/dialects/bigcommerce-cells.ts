/** Single cells of BigCommerce's exports: options, categories, images, and the rules of the legacy one. */
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import type { DialectRow } from "./dialect.ts";
import { isYes, isYesOrAbsent, nonEmpty, parts, refusedPrice, surcharged } from "./kit.ts";

type CellOptions = NonNullable<Draft["options"]>;

/** `Type=Rectangle|Name=Size|Value=Small`, the next option right behind the value. */
export function v3Options(text: string | undefined): CellOptions | undefined {
  const found = (text ?? "").split(/Type=[A-Za-z ]{1,40}\|(?=Name=)/).flatMap((option) => {
    const [, name, value] = /^Name=([^|]*)\|Value=(.*)$/s.exec(option.trim()) ?? [];
    // A swatch has its colors behind the value: `Navy[#001F3F]`.
    const plain = value?.replace(/\[[^[\]]*\]$/, "").trim() ?? "";
    return name === undefined || plain === "" ? [] : [{ name: name.trim(), value: plain }];
  });
  return nonEmpty(found);
}

/** `[RB]Size=9,[CS]Color=Blue:#0000ff`: the kind of choice, its name and its value. */
export function legacyOptions(text: string | undefined): CellOptions | undefined {
  if (text?.includes("=") !== true) return undefined;
  const found = text.split(/,(?=(?:\s*\[[A-Z]{1,3}\])?[^,=[\]]{1,200}=)/).flatMap((option) => {
    const [, kind, name, value] = /^(?:\s*\[([A-Z]{1,3})\])?([^=]+)=(.*)$/s.exec(option) ?? [];
    const plain = (kind === "CS" ? value?.replace(/:[^:]*$/, "") : value)?.trim() ?? "";
    return name === undefined || plain === "" ? [] : [{ name: name.trim(), value: plain }];
  });
  return nonEmpty(found);
}

/** `Shop All/Garden;Bath`, or `Category Name: Garden, Category Path: Shop All/Garden`. */
export function legacyCategories(text: string | undefined): readonly string[] | undefined {
  const named = [...(text ?? "").matchAll(/Category Path:\s*([^,|;]+)/g)].map(([, path]) => path ?? "");
  const paths = (named.length > 0 ? named : parts(text, ";"))
    .map((path) => parts(path, "/").join(" > "))
    .filter((path) => path !== "");
  return nonEmpty([...new Set(paths)]);
}

const MAX_IMAGES = 50;

/** Files of the store lie under `product_images`; a name without a folder is a file that was to be uploaded. */
export function legacyImages(at: DialectRow["at"]): { url: string; rank: number }[] {
  const images: { url: string; rank: number }[] = [];
  for (let number = 1; number <= MAX_IMAGES; number += 1) {
    const file = at(
      `product_image_url_${number}`,
      `product_image_file_${number}`,
      `product_image_path_${number}`,
    );
    if (file === undefined) continue;
    const isThumbnail = isYes(at(`product_image_is_thumbnail_${number}`));
    const isStored = !/^(?:https?:|\/)/i.test(file) && file.includes("/");
    const sort = Number(at(`product_image_sort_${number}`) ?? number);
    images.push({ url: isStored ? `/product_images/${file}` : file, rank: isThumbnail ? -1 : sort });
  }
  return images;
}

/** The price of a variant in its own row of the legacy export. */
export type ModifierRule = {
  readonly sku: string | undefined;
  /** Any value of each named option. */
  readonly conditions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly price: string | undefined;
  readonly isForSale: boolean;
  readonly stops: boolean;
  readonly image: string | undefined;
};

export function ruleOf({ at, readDraft }: DialectRow): ModifierRule {
  const mapped = readDraft();
  const conditions = new Map<string, Set<string>>();
  for (const { name, value } of legacyOptions(mapped.title) ?? []) {
    conditions.set(name, (conditions.get(name) ?? new Set()).add(value));
  }
  return {
    sku: mapped.sku,
    conditions,
    price: mapped.price,
    isForSale: isYesOrAbsent(at("allow_purchases")),
    stops: isYes(at("stop_processing_rules")),
    image: legacyImages(at)[0]?.url,
  };
}

export type ModifierRuleResult = {
  readonly draft: Draft;
  readonly canBeBought: boolean;
  readonly image: string | undefined;
};

/** The variant with every rule that applies to it, in order. */
export function applyRules(draft: Draft, rules: readonly ModifierRule[]): ModifierRuleResult {
  let result: ModifierRuleResult = { draft, canBeBought: true, image: undefined };
  for (const rule of rules) {
    if (!applies(rule, draft)) continue;
    result = {
      draft: withPrice(result.draft, rule.price),
      canBeBought: result.canBeBought && rule.isForSale,
      image: rule.image ?? result.image,
    };
    if (rule.stops) break;
  }
  return result;
}

function applies({ sku, conditions }: ModifierRule, { sku: own, options = [] }: Draft): boolean {
  if (sku !== undefined) return sku === own;
  if (conditions.size === 0) return false;
  return conditions.entries().every(([name, values]) => {
    return options.some((option) => option.name === name && values.has(option.value));
  });
}

/**
 * `[FIXED]12.50`, `[ADD]2`, `[REMOVE]2`; a fixed price has no sale of another price. A rule that cannot be read is
 * refused as a price.
 */
function withPrice(draft: Draft, rule: string | undefined): Draft {
  const { price, salePrice, listPrice: _list, ...rest } = draft;
  if (rule === undefined || price === undefined) return draft;
  const [, kind = "FIXED", amount] = /^(?:\[(FIXED|ADD|REMOVE)\])?\s*([\d.,]+)$/i.exec(rule) ?? [];
  if (amount === undefined) return { ...rest, price: refusedPrice(price, `and a rule of ${rule}`) };
  if (kind.toUpperCase() === "FIXED") return { ...rest, price: amount };
  // BigCommerce keeps four decimals.
  const change = (before: string): string =>
    surcharged(before, kind.toUpperCase() === "ADD" ? amount : `-${amount}`, 4);
  // A sale price of zero is how the export writes that there is none.
  const hasSale = salePrice !== undefined && !isZeroDecimal(salePrice);
  return { ...draft, price: change(price), ...(hasSale ? { salePrice: change(salePrice) } : {}) };
}
