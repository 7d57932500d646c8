/**
 * What a shop's words say about the condition. Google's three values decide: `new` is unused in its original, unopened
 * package; whatever was used, opened, shown or damaged is `used`, and so is what is only like new.
 *
 * A phrase is looked up as a whole, then phrase by phrase, since shops add grades and remarks ("Used -
 * Very Good", "Refurbished Grade A"). The words that claim less win: refurbished before used before new, and a word that
 * limits ("like new", "new other") makes new goods used.
 */
import type { Condition } from "../item.ts";
import { meaningOf, wordKey, wordTable } from "../words.ts";

/** What a text says: a condition, or that it says nothing. */
export type StatedCondition = Condition | "unstated";
/** `limited` takes the claim out of "new". */
type Word = StatedCondition | "limited";

// Numbers are eBay's condition ids. Of Amazon's (1 to 11) only 11, "new", can be nothing else: `1` to `10` are also
// marks out of ten, and shops' own numbers.
const CONDITION_WORDS = wordTable<Word>({
  new: `new condition, brand new, new with tags, new with box, new in box, new encrypted, factory new, factory encrypted, encrypted,
    unopened, unused, unworn, never used, never worn, not used, new old stock, bnib, bnwt, nib, nwt, 1000, 11,
    neu, neue, neuer, neues, neuware, neuartikel, fabrikneu, nagelneu, brandneu, originalverpackt, ungebraucht, unbenutzt,
    ungetragen, nie benutzt, nicht benutzt, neuf, neuve, neufs, neuves, nouveau, nouvelle, jamais utilisé, jamais porté,
    nuevo, nueva, nuevos, nuevas, sin usar, sin estrenar, nuovo, nuova, nuovi, nuove, mai usato, mai indossato, nieuw, nieuwe,
    nieuwstaat, ongebruikt, ongedragen, novo, nova, novos, novas, sem uso, nowy, nowa, nowe, nieużywany, nieużywane,
    ny, nytt, nya, nyt, nye, oanvänd, ubrugt, ubrukt, uusi, käyttämätön, nový, nové, nepoužitý, nepoužité, új, nou, nouă,
    noi, yeni, sıfır, kullanılmamış, καινούργιο, καινούριο, νέο, новый, новая, новое, новые, новий, нове, нов,
    新品, 新品未使用, 新品未開封, 未使用, 未使用品, 未開封, 未開封品, 全新, 全新品, 全新未拆封, 未拆封,
    새상품, 새제품, 새것, 신품, 미개봉, 미사용`,
  refurbished: `refurbished condition, refurb, refurbs, certified refurbished, seller refurbished, manufacturer refurbished,
    factory refurbished, renewed, reconditioned, recertified, remanufactured, rebuilt, restored, reworked, 2000, 2010,
    2020, 2030, 2500, generalüberholt, generalüberholte, generalüberholtes, generalueberholt, überholt, aufbereitet,
    aufgearbeitet, wiederaufbereitet, instandgesetzt, erneuert, refurbed, reconditionné, reconditionnée, remis à neuf,
    remise à neuf, rénové, rénovée, reacondicionado, reacondicionada, restaurado, restaurada, ricondizionato,
    ricondizionata, rigenerato, rigenerata, revisionato, gereviseerd, gerefurbished, opgeknapt, recondicionado,
    recondicionada, remanufaturado, odnowiony, odnowiona, odnowione, regenerowany, regenerowana, poleasingowy, poleasingowe,
    renoverad, rekonditionerad, istandsat, renoveret, oppusset, kunnostettu, huollettu, repasovaný, repasované, felújított,
    recondiționat, recondiționată, yenilenmiş, ανακατασκευασμένο, восстановленный, восстановлен, відновлений,
    整備済み, 整備済, 整備済み品, 整備済製品, 再生品, リファービッシュ, リファビッシュ, 翻新, 官翻, 官方翻新, 리퍼, 리퍼비시, 리퍼브, 리퍼상품`,
  used: `used condition, pre-owned, owned, second hand, 2nd hand, like new, as new, mint, near mint, very good, good,
    excellent, fair, acceptable, poor, worn, pre-loved, loved, thrifted, vintage, antique, retro, collectible, cpo,
    open box, opened, not encrypted, demo, demonstrator, display, display model, ex display, showroom, floor model, shop soiled,
    return, returns, returned, b stock, b grade, c grade, grade a, grade b, grade c, grade d, graded, seconds, factory second,
    second choice, 2nd choice, imperfect, blemished, scratched, scratch and dent, dented, damaged, damaged condition, defective,
    faulty, broken, for parts, parts only, spares, spares or repair, not working, as is, salvage, repackaged, reboxed, repacked,
    warehouse deal, off lease, rental, newish, 1500, 1750, 2750, 2990, 3000, 3010, 4000, 5000, 6000, 7000,
    gebraucht, gebrauchte, gebrauchtes, gebrauchter, gebrauchtware, gebrauchtgerät, neuwertig, neuwertige, neuwertiges,
    wie neu, sehr gut, gut, akzeptabel, antik, antiquarisch, getragen, benutzt, geöffnet, b ware, bware, c ware, a ware,
    vorführgerät, vorführer, vorführware, vorführmodell, ausstellungsstück, ausstellungsware, aussteller, ausstellungsmodell,
    messeware, retoure, retourware, retourenware, kundenretoure, rückläufer, zweite wahl, 2 wahl, ii wahl, mängelexemplar,
    remittende, beschädigt, defekt, bastler, bastlerware, ersatzteilspender, second life,
    occasion, occasions, d'occasion, usagé, usagée, utilisé, comme neuf, comme neuve, très bon état, bon état, état correct,
    déballé, endommagé, abîmé, défectueux, seconde main, pour pièces, retour client,
    usado, usada, usados, usadas, segunda mano, de segunda mano, de ocasión, como nuevo, como nueva, seminuevo, seminueva,
    muy bueno, buen estado, buono, dañado, defectuoso, reembalado, exposición, exhibición, tara,
    usato, usata, usati, usate, seconda mano, di seconda mano, come nuovo, come nuova, buone condizioni, danneggiato,
    difettoso, ricambi, ex esposizione, reso, gebruikt, gebruikte, tweedehands, tweedekans, als nieuw, zo goed als nieuw, goed,
    zeer goed, beschadigd, showmodel, showroommodel, retour, segunda mão, como novo, seminovo, seminova, danificado, avariado,
    używany, używana, używane, jak nowy, jak nowa, jak nowe, powystawowy, powystawowe, powystawowa, uszkodzony, uszkodzona,
    uszkodzone, zwrot, outlet powystawowy, begagnad, begagnat, begagnade, i nyskick, nyskick, som ny, fyndvara, demoex, skadad,
    brugt, brugte, brukt, brukte, som nyt, demomodel, beskadiget, skadet, käytetty, käytetyt, kuin uusi, vaurioitunut,
    esittelykappale, použitý, použité, použitá, bazar, rozbaleno, zánovní, poškozené, használt, újszerű, sérült, folosit,
    folosită, utilizat, la mâna a doua, ikinci el, kullanılmış, hasarlı, μεταχειρισμένο, б у, бу, подержанный, уцененный,
    вживаний, употребяван, втора употреба,
    中古, 中古品, 中古美品, ユーズド, 古着, 訳あり, アウトレット品, 展示品, 開封済み, 開封品, 新品同様, 新古品, 未使用に近い,
    目立った傷や汚れなし, やや傷や汚れあり, 傷や汚れあり, 全体的に状態が悪い, ジャンク, ジャンク品, 美品, 良品, 可,
    二手, 二手商品, 旧, 使用过, 九成新, 九五新, 九九新, 八成新, 几乎全新, 近全新, 瑕疵, 展示机, 중고, 중고품, 중고상품, 새것같은, 전시품, 반품, 스크래치`,
  limited: `like, as, nearly, almost, near, practically, virtually, quasi, other, without, no, not, minus, except, old, semi,
    defects, flaws, wie, fast, nahezu, beinahe, ohne, nicht, kein, keine, sonstige, sonstiges, mängel, mängeln, comme, presque,
    autre, autres, sans, pas, défauts, casi, como, otro, otros, sin, defectos, quase, outro, sem, come, altro,
    senza, difetti, bijna, anders, overig, zonder, niet, prawie, jak, inny, bez, nästan, nesten, næsten, som, annat, utan,
    uden, uten, melkein, kuin, ilman, téměř, skoro, jiné, gibi, ca, kao`,
  unstated: `unknown, unspecified, not specified, not stated, not applicable, does not apply, na, tbd, default, select,
    please select, keine angabe, keine angaben, k a, nicht angegeben, unbekannt, non spécifié, non précisé, inconnu,
    no especificado, sin especificar, non specificato, niet opgegeven, onbekend, não especificado, nie podano, ej angivet`,
});

/** Scripts that put no space between words: there a known phrase counts wherever it stands. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const UNSPACED_PHRASES: readonly (readonly [string, Word])[] = [...CONDITION_WORDS]
  .filter(([phrase]) => UNSPACED.test(phrase) && phrase.length > 1)
  .toSorted(([a], [b]) => b.length - a.length);
/** `refurbishedGradeA`, `refurbishing`: whatever begins so means the same. */
const STEMS: readonly (readonly [string, Word])[] = [
  ["refurb", "refurbished"],
  ["recondi", "refurbished"],
  ["preowned", "used"],
  ["secondhand", "used"],
  ["used", "used"],
];
/** `UsedLikeNew` is three words. */
const WORD_BREAK = /[^\p{L}\p{N}\p{M}]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** Of our longest phrases. */
const MOST_WORDS = 4;
/** A number among words is a remark ("used, 2 of 5"), not a condition id. */
const NUMBER = /^\d+$/;
/** Whatever a shop says about the condition, it says at the beginning. */
const LONGEST_TEXT = 200;

export function readCondition(text: string): StatedCondition | undefined {
  const known = meaningOf(CONDITION_WORDS, text);
  if (known !== undefined && known !== "limited") return known;
  const beginning = text.slice(0, LONGEST_TEXT);
  const words = new Set(UNSPACED.test(beginning) ? phrasesIn(beginning) : []);
  addWords(beginning, words);
  if (words.has("refurbished")) return "refurbished";
  if (words.has("used")) return "used";
  if (words.has("new")) return words.has("limited") ? "used" : "new";
  return undefined;
}

/** The longest known phrase counts instead of its words: "never used" does not say "used". */
function addWords(text: string, found: Set<Word>): void {
  const keys = text
    .split(WORD_BREAK)
    .map(wordKey)
    .filter((key) => key !== "");
  let at = 0;
  while (at < keys.length) {
    const { word, length } = phraseAt(keys, at);
    if (word !== undefined) found.add(word);
    at += length;
  }
}

function phraseAt(
  keys: readonly string[],
  at: number,
): { readonly word: Word | undefined; readonly length: number } {
  for (let length = Math.min(MOST_WORDS, keys.length - at); length > 1; length--) {
    const word = CONDITION_WORDS.get(keys.slice(at, at + length).join(""));
    if (word !== undefined) return { word, length };
  }
  const key = keys[at] ?? "";
  return { word: NUMBER.test(key) ? undefined : (CONDITION_WORDS.get(key) ?? stemOf(key)), length: 1 };
}

function stemOf(key: string): Word | undefined {
  return STEMS.find(([stem]) => key.startsWith(stem))?.[1];
}

/** The longest phrases count, and what they cover is not looked at again: 新品同様 ("as good as new") is not 新品 ("new"). */
function phrasesIn(text: string): Word[] {
  const found: Word[] = [];
  let rest = wordKey(text);
  for (const [phrase, word] of UNSPACED_PHRASES) {
    if (!rest.includes(phrase)) continue;
    found.push(word);
    rest = rest.replaceAll(phrase, " ");
  }
  return found;
}
