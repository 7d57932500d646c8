/** The draft that a source would have sent for an item: `normalize` makes the same item of it. */
import type { Draft } from "../../catalog/draft.ts";
import { GOOGLE_TABLE } from "../../catalog/google-attributes.ts";
import type { GoogleName, GoogleRawValue, GoogleValue } from "../../catalog/google-attributes.ts";
import type { GoogleAttribute, GoogleForm } from "../../catalog/google-form.ts";
import type { Item, Measure, Money } from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import { defined } from "../../lib/defined.ts";

const escaped = (text: string): string => text.replaceAll("&", "&#38;").replaceAll("<", "&#60;");
const text = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : escaped(value);
const texts = (values: readonly string[] | undefined): readonly string[] | undefined => values?.map(escaped);
const yesNo = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? "yes" : "no";
const number = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
const money = (value: Money | undefined): string | undefined =>
  value === undefined ? undefined : formatMoney(value);
const measure = (value: Measure | undefined): string | undefined =>
  value === undefined ? undefined : `${value.value} ${value.unit}`;

export function draftOf(item: Item): Draft {
  const { images = [], customLabels = [], google = {} } = item;
  const [image, ...additionalImages] = images;
  return defined({
    ...offer(item),
    ...traits(item),
    ...logistics(item),
    id: item.id,
    groupId: item.groupId,
    sku: item.sku,
    gtin: item.gtin,
    mpn: item.mpn,
    brand: text(item.brand),
    identifierExists: yesNo(item.identifierExists),
    title: text(item.title),
    groupTitle: text(item.groupTitle),
    shortTitle: text(item.shortTitle),
    description: text(item.description),
    highlights: texts(item.highlights),
    details: item.details?.map(({ section, name, value }) =>
      defined({ section: text(section), name: escaped(name), value: escaped(value) }),
    ),
    link: item.link,
    canonicalLink: item.canonicalLink,
    mobileLink: item.mobileLink,
    image,
    additionalImages,
    videos: item.videos,
    ...Object.fromEntries(
      customLabels.flatMap((label, at) => (label === null ? [] : [[`customLabel${at}`, escaped(label)]])),
    ),
    google: Object.fromEntries(
      Object.entries(google).map(([name, value]) => [name, googleTexts(name as GoogleName, value)]),
    ),
  });
}

const inForm = (form: GoogleForm | undefined, part: string): string =>
  form?.kind === "text" ? escaped(part) : part;

function googleTexts(name: GoogleName, value: GoogleValue): readonly GoogleRawValue[] {
  const attribute: GoogleAttribute = GOOGLE_TABLE[name];
  return (typeof value === "string" ? [value] : value).map((entry) => {
    if (typeof entry === "string")
      return attribute.shape === "groups" ? entry : inForm(attribute.form, entry);
    const parts = attribute.shape === "groups" ? attribute.parts : {};
    return Object.fromEntries(
      Object.entries(entry).map(([key, part]) => [key, inForm(parts[key]?.form, part)]),
    );
  });
}

function offer(item: Item) {
  const isList = item.priceIsList === true;
  return {
    price: money(isList ? item.salePrice : item.price),
    listPrice: isList ? money(item.price) : undefined,
    salePrice: isList ? undefined : money(item.salePrice),
    saleFrom: item.saleFrom,
    saleTo: item.saleTo,
    priceIncludesTax: yesNo(item.priceIncludesTax),
    unitPricingMeasure: measure(item.unitPricing?.measure),
    unitPricingBaseMeasure: measure(item.unitPricing?.base),
    cost: money(item.cost),
    availability: item.availability,
    availabilityDate: item.availabilityDate,
    quantity: number(item.quantity),
    expiresAt: item.expiresAt,
    condition: item.condition,
  };
}

function traits(item: Item) {
  return {
    googleCategory: text(item.googleCategory),
    categories: item.categories?.map((path) => escaped(path.join(" > "))),
    tags: texts(item.tags),
    options: item.options?.map(({ name, value }) => ({ name: escaped(name), value: escaped(value) })),
    color: text(item.color),
    size: text(item.size),
    sizeSystem: item.sizeSystem,
    sizeType: item.sizeType,
    material: text(item.material),
    pattern: text(item.pattern),
    gender: item.gender,
    ageGroup: item.ageGroup,
    adult: yesNo(item.adult),
    multipack: number(item.multipack),
    isBundle: yesNo(item.isBundle),
    isDigital: yesNo(item.isDigital),
    energyClass: item.energyClass,
    minEnergyClass: item.minEnergyClass,
    maxEnergyClass: item.maxEnergyClass,
  };
}

function logistics(item: Item) {
  return {
    weight: measure(item.weight),
    length: measure(item.length),
    width: measure(item.width),
    height: measure(item.height),
    shippingWeight: measure(item.shippingWeight),
    shippingLength: measure(item.shippingLength),
    shippingWidth: measure(item.shippingWidth),
    shippingHeight: measure(item.shippingHeight),
    shippingLabel: text(item.shippingLabel),
    acceptsReturns: yesNo(item.returns?.accepted),
    returnDays: number(item.returns?.days),
    returnPolicyUrl: item.returns?.policyUrl,
    ratingValue: item.rating?.value,
    ratingCount: number(item.rating?.count),
    country: item.country,
    language: item.language,
  };
}
