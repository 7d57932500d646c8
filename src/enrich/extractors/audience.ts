/**
 * Gender and age group: from attributes, the merchant's categories and the title. Some words say whom a thing is for wherever
 * they are ("women's"); others only on clothes ("women", "baby"). A size in months or years decides between the age groups of children.
 */
import { isForBabies } from "../../catalog/google-category.ts";
import { AGE_GROUPS, type AgeGroup, type Gender, type Item } from "../../catalog/item.ts";
import { AGE_GROUP_WORDS, GENDER_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf, type WordTable } from "../../catalog/words.ts";
import { ageFromSize, CHILDREN } from "./age-sizes.ts";
import { isApparel } from "./apparel.ts";
import { languageOf } from "./catalog-facts.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type ExtractorContext, fieldExtractor, type Finding } from "./extractor.ts";
import { type Branded, phrasesBesideBrand } from "./own-brand.ts";
import { statedValues } from "./stated-values.ts";
import audience from "./vocabulary/audience.json" with { type: "json" };
import { type Match, phrasesIn, phraseTables, wordsOf } from "./words.ts";

type AudienceWord =
  | AgeGroup
  | Gender
  | "male_kids"
  | "female_kids"
  | "baby_goods"
  | "connector"
  | `${"male" | "female" | "infant" | "kids"}_apparel`;
const tableFor = phraseTables<AudienceWord>(audience);

/** Whom words are for: a gender, an age group or both. */
const GENDER_OF: Partial<Record<AudienceWord, Gender>> = {
  male: "male",
  male_apparel: "male",
  male_kids: "male",
  female: "female",
  female_apparel: "female",
  female_kids: "female",
  unisex: "unisex",
};
/** "Women" and "men" are adults, which Google wants to be said of clothes. */
const AGE_OF: Partial<Record<AudienceWord, AgeGroup>> = {
  ...Object.fromEntries(AGE_GROUPS.map((age) => [age, age])),
  infant_apparel: "infant",
  kids_apparel: "kids",
  male_kids: "kids",
  female_kids: "kids",
  male: "adult",
  male_apparel: "adult",
  female: "adult",
  female_apparel: "adult",
};
const ONLY_APPAREL = /_apparel$/;

type Trait<Value extends string> = {
  readonly meaning: "gender" | "ageGroup";
  readonly stated: WordTable<Value>;
  readonly of: Partial<Record<AudienceWord, Value>>;
  /** The one value that several found ones amount to. */
  readonly combine: (values: ReadonlySet<Value>) => Value | undefined;
};

const GENDER: Trait<Gender> = {
  meaning: "gender",
  stated: GENDER_WORDS,
  of: GENDER_OF,
  combine: (values) => (values.size > 1 ? "unisex" : only(values)),
};
const AGE: Trait<AgeGroup> = {
  meaning: "ageGroup",
  stated: AGE_GROUP_WORDS,
  of: AGE_OF,
  combine: (values) => only(values) ?? only(new Set([...values].filter((age) => age !== "kids"))),
};

function only<Value>(values: ReadonlySet<Value>): Value | undefined {
  return values.size === 1 ? [...values][0] : undefined;
}

const SOURCES =
  "an attribute or an option; words such as “women's” in the shop's category or the title, for clothes “women” as well";

export const GENDER_EXTRACTOR = fieldExtractor({
  id: "gender",
  version: 4,
  field: "gender",
  evidence: SOURCES,
  current: ({ gender }) => gender,
  find: (item, group, context) =>
    isConnector(item, context) ? undefined : audienceOf({ item, group, context }, GENDER),
});

export const AGE_GROUP_EXTRACTOR = fieldExtractor({
  id: "age_group",
  version: 5,
  field: "age_group",
  evidence: `a size in months or years; ${SOURCES}`,
  current: ({ ageGroup }) => ageGroup,
  find: (item, group, context) => (isConnector(item, context) ? undefined : ageOf({ item, group, context })),
});

/** The genders of plugs and pin headers are not those of people. */
function isConnector({ title }: Item, context: ExtractorContext): boolean {
  // The word is in the title, whatever the language of the item is: parts are sold under their English names.
  return phrasesIn(title, wordsOf(title), tableFor(context.facts.language)).some(
    ({ meaning }) => meaning === "connector",
  );
}

/** "Girls" and "kids" are said of babies as well: a size, or a word such as "crib", says more about the age. */
function ageOf(of: Branded): Finding | undefined {
  const { item, context } = of;
  const stated = statedAudience(item, AGE);
  if (stated !== undefined) return stated;
  const found = audienceOf(of, AGE);
  // Without such a word, a number of months is the age for a toy, or a guarantee.
  const isWorn = isApparel(item, context);
  const isForChild = found === undefined ? isWorn : CHILDREN.has(found.value);
  const sized = isForChild ? ageFromSize(item, isWorn) : undefined;
  if (sized !== undefined) return sized;
  if (found?.value !== "kids" || !isOfBabies(item, context)) return found;
  return { ...found, value: "infant", confidence: CONFIDENCE.uncertain };
}

const BABY_WORDS = new Set<AudienceWord>(["newborn", "infant", "infant_apparel", "toddler", "baby_goods"]);

function isOfBabies(item: Item, context: ExtractorContext): boolean {
  if (item.googleCategory !== undefined && isForBabies(item.googleCategory)) return true;
  const table = tableFor(languageOf(item, context));
  return [item.title, ...(item.categories?.[0] ?? [])].some((text) =>
    phrasesIn(text, wordsOf(text), table).some(({ meaning }) => BABY_WORDS.has(meaning)),
  );
}

function audienceOf<Value extends string>(of: Branded, trait: Trait<Value>): Finding | undefined {
  return (
    statedAudience(of.item, trait) ?? audienceIn("title", of, trait) ?? audienceIn("categories.0", of, trait)
  );
}

function statedAudience<Value extends string>(
  item: Item,
  { meaning, stated }: Trait<Value>,
): Finding | undefined {
  for (const found of statedValues(item)) {
    const value = found.meaning === meaning ? meaningOf(stated, found.value) : undefined;
    if (value !== undefined)
      return { value, evidence: [found.evidence], confidence: CONFIDENCE.stated, isClosed: true };
  }
  return undefined;
}

function audienceIn<Value extends string>(
  field: "title" | "categories.0",
  branded: Branded,
  { meaning, of, combine }: Trait<Value>,
): Finding | undefined {
  const { item, context } = branded;
  const { text } = quote(item, field);
  if (text === "") return undefined;
  const found = phrasesBesideBrand(text, tableFor(languageOf(item, context)), branded).matches;
  const matches = found.filter((match) => of[match.meaning] !== undefined);
  // A "Baby & Toddler" department is for neither alone, even where "baby" would not count.
  const values = new Set(matches.map((match) => of[match.meaning] as Value));
  const value = combine(values);
  if (value === undefined || !matches.some((match) => counts({ item, text }, match, context, meaning)))
    return undefined;
  return {
    value,
    evidence: matches.map(({ from, to }) => quote(item, field, from, to)),
    confidence:
      meaning === "ageGroup" && values.size > 1
        ? CONFIDENCE.uncertain
        : field === "title" && !isApparel(item, context) && found.some(isChild)
          ? CONFIDENCE.inText
          : confidenceOf(found),
    isClosed: true,
  };
}

/** "Girls like us" is printed on a candle: outside of clothes, titles name children for other reasons as well. */
const isChild = ({ meaning }: Match<AudienceWord>): boolean =>
  meaning === "male_kids" || meaning === "female_kids";

function confidenceOf(found: readonly Match<AudienceWord>[]): number {
  return found.some((match) => ONLY_APPAREL.test(match.meaning)) ? CONFIDENCE.confirmed : CONFIDENCE.separate;
}

/** "Girl's head" is a picture. */
const ONE_PERSON = /^(?:girl|boy|woman|man)['’]s$/i;

/** An adult is implied only on clothes: a "women's bike" may be for girls as well. */
function counts(
  { item, text }: { readonly item: Item; readonly text: string },
  match: Match<AudienceWord>,
  context: ExtractorContext,
  meaning: "gender" | "ageGroup",
): boolean {
  const isImplied = meaning === "ageGroup" && (match.meaning === "male" || match.meaning === "female");
  const isClear =
    !isImplied && !ONLY_APPAREL.test(match.meaning) && !ONE_PERSON.test(text.slice(match.from, match.to));
  return isClear || isApparel(item, context);
}
