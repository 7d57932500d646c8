/**
 * Looks up what a word means, in whatever spelling: case, spaces, dashes, underscores and accents make no difference,
 * and a schema.org address counts as its last part. A word that is in no table means nothing; we do not guess from
 * parts of it. The files in `vocabulary/` have the words as people spell them; they are folded once, when loaded.
 */
export type WordTable<Meaning> = ReadonlyMap<string, Meaning>;

/** Longer than any phrase in our tables; what is longer is prose. */
const LONGEST_PHRASE = 60;
const SCHEMA_ORG = /^(?:https?:\/\/)?(?:www\.)?schema\.org\/(?:.*[/#])?/i;
const NOT_IN_KEYS = /(?!^-\d)[^\p{L}\p{N}+]/gu;
const UNDECOMPOSED: ReadonlyMap<string, string> = new Map([
  ["ł", "l"],
  ["ø", "o"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ß", "ss"],
  ["đ", "d"],
  // Turkish: the capital of both i and ı may be I.
  ["ı", "i"],
]);

/** A table from meanings with their phrases. Two meanings for one phrase would be a mistake in the table. */
export function wordTable<Meaning extends string>(
  phrases: Readonly<Record<Meaning, readonly string[]>>,
): WordTable<Meaning> {
  const table = new Map<string, Meaning>();
  for (const meaning in phrases) {
    const spellings = [meaning, ...phrases[meaning]];
    for (const key of [...spellings, ...spellings.map(wordKey)].filter((key) => key !== "")) {
      if (table.has(key) && table.get(key) !== meaning) throw new Error(`"${key}" has two meanings`);
      table.set(key, meaning);
    }
  }
  return table;
}

/** The phrases of a file that lists them by language: `{"de": {"in_stock": ["auf Lager"]}}`. */
export function byMeaning<Meaning extends string>(
  languages: Readonly<Record<string, { readonly [M in Meaning]?: readonly string[] }>>,
): Record<Meaning, string[]> {
  const phrases: Partial<Record<Meaning, string[]>> = {};
  for (const words of Object.values(languages))
    for (const meaning in words) phrases[meaning] = [...(phrases[meaning] ?? []), ...(words[meaning] ?? [])];
  return phrases as Record<Meaning, string[]>;
}

export function meaningOf<Meaning>(table: WordTable<Meaning>, text: string): Meaning | undefined {
  // The usual spellings are in the table unchanged, so that most words need no folding.
  const usual = table.get(text) ?? table.get(text.toLowerCase());
  if (usual !== undefined || text.length > LONGEST_PHRASE) return usual;
  return table.get(wordKey(text));
}

/**
 * How a phrase is filed: letters and digits only, lower case, without accents. `+` counts (energy classes), as does a
 * minus before a number.
 */
export function wordKey(text: string): string {
  const bare = text.trim().replace(SCHEMA_ORG, "").toLowerCase();
  return (/[^\0-\x7f]/.test(bare) ? withoutAccents(bare) : bare).replace(NOT_IN_KEYS, "");
}

/** Marks are removed first: a letter such as ǣ loses its mark and is then a letter that does not decompose. */
function withoutAccents(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[łøæœßđı]/g, (letter) => UNDECOMPOSED.get(letter) ?? letter);
}
