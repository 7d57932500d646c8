/** A description as lines and sentences: what can be removed from it without changing the rest. */
import { memoize } from "../../lib/memoize.ts";
import { wordsOf } from "./words.ts";

export type Passage = {
  readonly from: number;
  /** Without the white space that follows. */
  readonly to: number;
  /** Its words: equal for passages that differ in punctuation and case only. */
  readonly key: string;
};

/** A sentence ends where white space and a capital, a digit or another sign follow its mark. */
const BREAK = /\n+|(?<=[.!?…])[ ]+(?=[^\p{Ll}\s])/gu;
const KEPT_DESCRIPTIONS = 16;

export const passagesOf = memoize(KEPT_DESCRIPTIONS, (text: string): readonly Passage[] => {
  const passages: Passage[] = [];
  let from = 0;
  for (const { 0: gap, index } of text.matchAll(BREAK)) {
    addPassage(text, from, index, passages);
    from = index + gap.length;
  }
  addPassage(text, from, text.length, passages);
  return passages;
});

function addPassage(text: string, from: number, to: number, passages: Passage[]): void {
  if (to <= from) return;
  passages.push({ from, to, key: passageKey(text.slice(from, to)) });
}

export function passageKey(text: string): string {
  return wordsOf(text)
    .map(({ key }) => key)
    .join(" ");
}
