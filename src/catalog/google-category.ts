/**
 * Google's product taxonomy of 2021-09-21, which is still the current one: which numbers and English paths it has,
 * which of them are its 21 roots, and which are goods to wear. A path whose root is not an English one may be in
 * another language, which cannot be checked here, and nothing is claimed about it.
 */
import { PATH_HASHES } from "./google-category-paths.ts";

/**
 * The steps from one number to the next: a letter for a step of 1 to 26, a number and a full stop for a longer one.
 * Written out, the 5,595 numbers would take eight times the room.
 */
const NUMBER_STEPS = `
aaaaaaaaabebaehabaabaaabcbdaaaabaaaabbcbbaaaaaadaaaaaaabaaaacabaaaaabaaaaadaaaaaaaaababaaaaaabaacaaaabaaaaaa
badaaaaaabbaaaaaaabcaaaaaaabaabababaaabaaaaaaaaaaaaaaadbaaaacbaaaaaaaabadbacaaaaaaaaaaaaaabaacaaaaaaaaaaaaaa
abaaaaaabcaabbaabdccbdaaaaaabkcaaaaaabiacacaaaaaaabaaaaaabbadaabaaababaaaacaaaaaaaaabcaadababcaabbaaadbaaaaa
aaababaaaaaaabaaaacaebaaaaabaaaaaabaaaaaabaaabaaaaaaaacaaaaaaaacaaaaaaaaaaacaaaaaaaaaaaaaaaadbaaaaaaaaaaaaaa
aaabbababbaabaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabaabaaaaaaaabaaaaaaaaaaabbaaaabbaaaaaeaaaabaa
baaabbacaaaaaabaabaaaaaaafaaaaaaaaaaaa55.p31.aaccadicaaccababaaabbbaababbacaaabaaaaaaaaaaaaaaaaaaabaaaaaaaaa
bacaabaaaaabaaaaaaaaaabbaaaabaaaabaaaaaabacdbaaaabbfaaabccbdbaacaaacbcaaabageaaaaaaacbbabaaababaaaaaaaaaaaaa
iacaaababbceaaabaaaacbaaabcaabaahaaaaaabbaiababaaababbbaabaababbaabiofaacaffaocchbbbbdafaccaegabadlfgeibccba
eddadbdaaddacacbbadiceabcjacaeaacbbaabcaaeaadeebacjecaagkaaaaaebbcadabaefcabbacbbdacacgacaabfaiacaiabcaeaacd
aahddabedbaaafadbaacabaccabbabcdacaadieafabaaaaaacbdgfbbacedibaaabaadaaamacbddadbecbffbaaafdaafacbafabbbjabf
bcbbabcbbaaccaafdachbackdadiaebgaeacadaacaccaeadbacdaaaaaabbbbbbaaebadddacaaaaaffhbacehbiacadcapaccfaaddeada
abcaabbacgbcbbeebbababbdabbdacfbcagaagbaebaabaabdaddaaabdbbacaabaaabaabbaabaabaeabcaaaabdccaafaagabeaaaaadde
cbaaaadaaabbaaaabbaaacbaaaabbabdbbebaabababdbabbaaababbaadbdbafabaabaaadaadaaaabbcabaaaadbaaabaaecaaababbacb
aaabbaaaabaaadaaacfbacaaaaabdababbeaabbcbbfababaabaacdadbcabbbdaaaaaaaacaadaaaddabaaabbabbdacabbabaaaabaabaa
aaababbabbacacbbaabaaaaabaacbacbccaebbbaabaaaaabacaaaacbabaabaaaaaaaaaaadbbaabaabcaaaaabaaaaaaabcacaabadabad
dcabdbabaaacaabbaaaaacacbabbaabaaaaaaaaaaaabbababbabaaaaaaaaaaabbacaabaaababaaaaacacaaaaabaabaaaaaaabacaaaaa
bcacaaaabbaaaaaabbabaabbbabbaaaabaaaaaabaaaaabaaababacbaaaaacebabaaabaaaaaababaaaaaaabeaaaaaaaaaaadbbaaabaab
baababaaaaaaaadcaababababaacaaaaabcaaacaaaaabbaaaaaabaaaaaabaaaaaaaabbabacabdaaaaaaaabaabbaaacaaaaabaaccadaa
aaaaaaaaaaabbaaaaaaaaaaabbbaaaabaababbbaaaaaaaaaaaaaaaaaaaaabaaaabaaaaacacaadaaabaaabaaabbaabbcbaaaaaaaaaaac
aaadabbbaabaaaaaaaaaaabbaaaaaaacabaaabaaaaaaacbbbdbaabbbcaaacaaaaaabccaabbaaaaaaabacaaaaaabcaabaaacaaeaaaaaa
aaabccaaacabaeaabbaaabaaabaaaaaccaabbabaccbabbacaaaaaaaaabaaaabaaadabaaaaaabadacaaccaeadaaacabgbaaaaacaacacb
bbafcaeeadabbadaacacbaaacabcaeabacdcabbaaaahabadaabbfabaaaabbbbebdcabaabafabkbdbccabebbabbbbcdbacaecaabcaaaa
dabgaaccbdbbdcbbga28.aaaaaabaceaaabdiaaaabbadbaaaaaaabagaaaaaabaaabbbaaaacaaaaaaabaabaaacbaaabebaacbbbaabaaa
aaabaaaaabaaabaaabababaaaaaaaaaaaaaaaaaabcbabaaaajaaaaaaabbaaaaaaaaaabaaaaaaaaaaaaaaaaabaaabaaaaacaabaaaabda
aaaeaaaaeaaaabaadbbeaaaaaaaaaaabdaaaaaaaabaaaaaabadaaaafabaaaaaacahcaaaaaaaaaaabaaaaaaaaaaaabaaaaaaaaaaaaaaa
aaabaaaaaaaaaaawaaaaapabaababaacaaabagbaadbaaaaaaaanaaaaaaaaaaaaabbaaaaadbaaabfabaaaabaabaaaaaaabbaaaaaaaaaa
bbaadaaababcaaabaacaaaaaaabaaaaaaaaaabaaaaaaaaaaabaaaaaeaaaaacaaacaaaaaaaaaaaaeaaaaaaaaaaaaaaaaaaaaaaaagaaia
am43.aaaaaaaaaaaabaababaaaaabbbaababbabaabaaaaaadaaaaeaacebahaacabcjcaabaaaaagaaadbabdaacaaaaabbaaaajaaaacba
baccbcdbabaabaaaacaaabaacaaabbacaaaabababcaabaadaaaaadbaaacbaadcbabaabbacaaaababbabaaaacaaaaaaaacaaaaaaabaaa
aaabaaaaacaafaaaaaaaaaaaaabafbbacaabaaaaadaaacaaaaabaaaaaaaaaaaabcaaaaebaaaaaaababbaaabaaoaaaaaaaaaaaaabacab
abaaaaaabaaaaagaaaaabaaaaaaaadabaaaaaaafabaaaaaaaaaaaaaaacaabbaaaabfaabaaaaaaababaaaaaabaaaaeaaaaaaaadcaaaaa
aaaaaaabaadabebaabagjaaaabaaaaaacaaaaaaaagaaabaaaaaaaaacjaaahaaaaccabaaaabaaabaaaaaaaacaaaaaaaaaaaabaabcaaaa
ababaabaaaaaaaaaaaaagbbacaafaaaaaaabbaadaaaaaaaaaaababaaaaabaaaaaaaaaacabaaabaacdaaamhaaibbdbaaaaaaaaaaaaaaa
aaaaaaaaaaaaaaaaaaabaaaaaaaaabaaabaaaaaaaacabcaabaaaacaaababaabaaaaaaaaabeaabbadaacaaacabaaaaaaadaabaeaabaac
aababababaaaaadababaaacaababbaaaaaaaaaaaaadbaaabaaaadaabaaabaabbbcbaaaaaaaaaaaaaaaabdaabaacaaaaaaaaaaaaaaaaa
aaaaaaacaaaaaaaaccaabaaabaaaaaaaaaaaaaaeaacaaaaaaaaabaaaaaaaaacaaaaaaaaaaabdbaaacbaabaaaaaaaaababaeacaaaabab
abaaabacbaaadbbaaaaaaabcbaababaaaaababaabaaaaaaabaaaaaadaaaaaaaaaaaaababbafaaaaaaaabaaabafaaaaaadaaaaaaaaaab
aaaacaaaaaaaabaaaabcbaaaaaaaaaacaadaaeaaaaaaaaaaadaaaeaaabaaaabaabaaaaabaaaabaaabbaaaaaaaaaaaaabaaaaaaaaaaaa
aaaaaaaabaaaaabaabaabbbaabgaauaaaaaaaaaaaaaabbaacaaabaacaaaaaaaacabaaaaacaaaaaaaaaaaaaaacbaaaaaaaaaaaaabaada
aaaaabaaaacbaaaaaaaaaaaaadaabaabaaacaaaabdaaaaaaaaaaaaaaaaaaaaacaabaaaabaaaaabaaaaaabaaaaaaaaaaeacabaaaaaaaa
aaaaaabaaaaaaaaaaaaaaaaaaaaabaaaabaaaaaaaaaaaaaaaaaabaaaaabbbaaaaabbaaaabaaaaaaaaacbaaaaafaaaaaaaaaaabadaaaa
aabaaaaaaaaaaaabaaaaaaeaaaaabaabbbaaaeabaaaaaaaaaaaabaadcaaaaaaaaaaabcadaaaaabaabaaabaaeaaabhaaabaaaabaaaaaa
aaa219.216.aaacacaaabaaaaaacaaaaabbacaababaaaaeababaaaaaaaaaaaaaaaaaaabaacbaakaaaaaaaaaaaaaaaaaadaaabbaaaeba
bbfabaaaaaacadaazbaabbaacaaaaaaabeacaaaaaaaadejaaahaaaaaaaaaqccaaaaabaaaaaabca58.58.iaaaaaaaiaaaeaaaaaaaaabc
bbaaacffaafaaafdbaaaaaaabbbbaaac35067.a1645.54076.131573.aa1253.aa1251.a1250.a1249.a1245.59080.aaa2170.a
27700.b1938.aa24791.2723.7161.a98829.a2057.2221.33827.aaadaabaaaacaaabaaaaaaadaaaaaabaaaaaaaaaaaabaaaaaaaaaa
aaaaaaaaddaabaaeaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaaaaaaaaeabaaaaaaaaaaaaadaaaaaaaaaaaabaaaaaacaaaaaaaacaaaaaaaa
aaaaaaaaaaaaaaaaaaaaaacaaacaaaaadabaaaabaaabaaaaaaaaabadbaaaaaaaaaaaabaaaaaaaacaaacababacabaaaaaaaaaaaaaaaaa
baadbahaaaaaacaaaaaaabaaaabaaaaaaaaaaaaaaaaaaagaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabaaaaaabaaaaa2844.cabaaaaaaa
aaaaabaaaaaaaaaaabaaaaaaaaaaaacbaaaaaebcaaaaaaaaa308.373.aaaaaaaaaabaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaaaaa
aaa642.214.aaaaaaaaaa641.aaaacaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaavbjaaaaaaaaaaaaaaaaaaaabaacaaaaaaaaaaaa
aaaaaaaaaaaaaaaaaaa244.aaaa91.aaaaaaaaaaaydaaaaabaaaaaaabaaaaabaaaabaa37678.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
aaaaaaaeaaaaaaaakaaaaaagaaaaabbaaaaaaaacaaaaaaabaaaaabaabaaabaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
aaaaaacaaam`;

const ROOTS: ReadonlyMap<string, string> = new Map([
  ["1", "Animals & Pet Supplies"],
  ["166", "Apparel & Accessories"],
  ["8", "Arts & Entertainment"],
  ["537", "Baby & Toddler"],
  ["111", "Business & Industrial"],
  ["141", "Cameras & Optics"],
  ["222", "Electronics"],
  ["412", "Food, Beverages & Tobacco"],
  ["436", "Furniture"],
  ["632", "Hardware"],
  ["469", "Health & Beauty"],
  ["536", "Home & Garden"],
  ["5181", "Luggage & Bags"],
  ["772", "Mature"],
  ["783", "Media"],
  ["922", "Office Supplies"],
  ["5605", "Religious & Ceremonial"],
  ["2092", "Software"],
  ["988", "Sporting Goods"],
  ["1239", "Toys & Games"],
  ["888", "Vehicles & Parts"],
]);

/** Apparel & Accessories with everything below it. */
const APPAREL = numbers(`
  166 167 168 169 170 171 173 175 176 177 178 179 180 181 184 188 189 190 191 192 193 194 196 197 200 201
   1483 1662 1786 1856 1893 1922 1933 1948 2020 2427 2477 2668 3032 3913 4057 4179 5114 5122 5123 5192 5193
   5194 5207 5385 5387 5390 5422 5426 5443 5446 5567 5623 5624 5625 5626 5685 5686 5687 5688 5841 5907 5914
   5915 5939 5941 5942 6169 6170 6183 6238 6268 6277 6460 6463 6551 6552 6870 6984 6985 7054 7078 7133 7230
   7304 7305 7306 7307 7471 8017 8018 8200 8451 499972 500008 500118 502987 502988 543586 543587 543644
   543645 543646 543673 543674`);

/** Clothing with everything below it, and shoes: what is worn in a size. */
const SIZED_APPAREL = numbers(`
  182 187 203 204 206 207 208 209 211 212 213 214 215 1516 1578 1580 1581 1594 1604 1675 1772 1807 1831
   2160 2271 2292 2302 2306 2331 2396 2562 2563 2580 2745 2963 3066 3128 3188 3191 3253 3379 3414 3439 3455
   3598 3683 3724 3729 3852 3888 3951 3958 4003 5182 5183 5250 5322 5327 5329 5330 5343 5344 5378 5379 5388
   5408 5409 5410 5411 5412 5423 5424 5425 5441 5460 5461 5462 5463 5483 5484 5490 5506 5513 5514 5517 5549
   5552 5555 5564 5598 5621 5622 5673 5674 5676 5677 5678 5679 5680 5681 5682 5683 5684 5697 5713 5834 5878
   5909 5949 6006 6031 6087 6227 6228 6229 7003 7132 7207 7208 7209 7210 7211 7235 7236 7237 7281 7313 8149
   8248 499979`);

/** The root of apparel, in US and UK English; the other roots have one English name. */
const APPAREL_ROOTS: ReadonlySet<string> = new Set(["apparel & accessories", "clothing & accessories"]);
const ROOT_NAMES: ReadonlySet<string> = new Set([
  ...[...ROOTS.values()].map((name) => name.toLowerCase()),
  ...APPAREL_ROOTS,
]);
const SIZED_BRANCHES: ReadonlySet<string | undefined> = new Set(["clothing", "shoes"]);
const KNOWN = readSteps(NUMBER_STEPS);

/**
 * `root`: right, but as broad as can be. `foreign`: a path whose root is no English one. `unrecognized`: a number that
 * does not exist, an English path that does not exist, or text that is neither a number nor a path.
 */
export type CategoryKind = "specific" | "root" | "unrecognized" | "foreign";

export function categoryKind(category: string): CategoryKind {
  if (isNumber(category)) return numberKind(category);
  const steps = stepsOf(category);
  const isEnglish = ROOT_NAMES.has(steps[0] ?? "");
  if (steps.length === 1) return isEnglish ? "root" : "unrecognized";
  if (isEnglish) return PATH_HASHES.has(hashOf(steps.join(">"))) ? "specific" : "unrecognized";
  // The lines of Google's own list, `2271 - Apparel & Accessories > …`, are neither a number nor a path.
  return /^\d+ ?-/.test(category) ? "unrecognized" : "foreign";
}

function numberKind(category: string): CategoryKind {
  if (!KNOWN.has(Number(category))) return "unrecognized";
  return ROOTS.has(category) ? "root" : "specific";
}

/** Whether Google expects a color, a gender and an age group of it, and a size besides. */
export function apparelKind(category: string | undefined): "none" | "apparel" | "sized" {
  if (category === undefined) return "none";
  if (isNumber(category)) {
    const number = Number(category);
    if (SIZED_APPAREL.has(number)) return "sized";
    return APPAREL.has(number) ? "apparel" : "none";
  }
  const [root = "", branch] = stepsOf(category);
  if (!APPAREL_ROOTS.has(root)) return "none";
  return SIZED_BRANCHES.has(branch) ? "sized" : "apparel";
}

/** The steps of a path in lower case, as they are compared. */
function stepsOf(category: string): readonly string[] {
  return category
    .replaceAll("&amp;", "&")
    .split(">")
    .map((step) => step.trim().replace(/\s+/g, " ").toLowerCase());
}

/** FNV-1a over the bytes of UTF-16. */
function hashOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at += 1) {
    const unit = path.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return hash >>> 0;
}

function isNumber(category: string): boolean {
  const first = category.charCodeAt(0);
  return first >= 48 && first <= 57 && /^\d+$/.test(category);
}

function numbers(list: string): ReadonlySet<number> {
  return new Set(list.trim().split(/\s+/).map(Number));
}

function readSteps(steps: string): ReadonlySet<number> {
  const known = new Set<number>();
  let number = 0;
  for (const [step] of steps.matchAll(/[a-z]|\d+/g)) {
    number += step >= "a" ? step.charCodeAt(0) - 96 : Number(step);
    known.add(number);
  }
  return known;
}
