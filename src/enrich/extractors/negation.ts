/**
 * Words that turn a material or a color into its opposite: "wood free", "ohne Leder", "efeito silicone", "marble look". They count
 * in every language at once, because none of them means something else beside a material.
 */
import { isAdjacent, phraseKey, type Word, wordsOf } from "./words.ts";

function keysOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(phraseKey));
}

const BEFORE = keysOf(
  "without no non not free ohne kein keine keinem nicht sans sin senza sem zonder geen utan uden uten bez без " +
    "imitation imitación imitazione imitação imitatie imitierte faux fausse fake falso falsa finto finta simil símil simili pseudo " +
    "effect effekt effet efecto effetto efeito efekt aspect aspecto aspetto tipo estilo stile façon",
);
const AFTER = keysOf(
  "free frei freie freies freier vrij fri fritt less like effect effekt effet efecto effetto efeito efekt look style stil optik optiek " +
    "imitat imitation imitatie imitación imitazione imitação inspired",
);
/** Words that may stand between: "imitación de cuero", "without any leather", "wood grain effect". */
const BETWEEN_BEFORE = keysOf(
  "of from any all real genuine de di do da en in echtes echtem echte aucun vera vero",
);
const BETWEEN_AFTER = keysOf("grain grained type");

type Span = { readonly from: number; readonly to: number };

/** Whether the words next to a span say that the thing is not what the span names. */
export function isNegated(text: string, span: Span): boolean {
  const words = wordsOf(text);
  const before = words.filter(({ to }) => to <= span.from).toReversed();
  const after = words.filter(({ from }) => from >= span.to);
  return (
    follows(before, BEFORE, BETWEEN_BEFORE, (word, nearer: Span = span) => isAdjacent(text, word, nearer)) ||
    follows(after, AFTER, BETWEEN_AFTER, (word, nearer: Span = span) => isAdjacent(text, nearer, word))
  );
}

/** Whether the nearest of these words is a wanted one, or the one after a word that may stand between. */
function follows(
  words: readonly Word[],
  wanted: ReadonlySet<string>,
  between: ReadonlySet<string>,
  isNext: (word: Span, nearer?: Span) => boolean,
): boolean {
  const [first, second] = words;
  if (first === undefined || !isNext(first)) return false;
  if (wanted.has(first.key)) return true;
  return between.has(first.key) && second !== undefined && isNext(second, first) && wanted.has(second.key);
}
