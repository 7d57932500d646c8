/** A text of a shop, which can be long: its beginning, and the rest on demand. */
import type { JSX } from "preact";
import { itemText as t } from "../messages/items.ts";

const SHORT = 200;

export function LongText({ text }: { readonly text: string }): JSX.Element {
  if (text.length <= SHORT) return <span class="feed-value">{text}</span>;
  return (
    <details class="feed-value">
      <summary>
        <span class="when-closed">{text.slice(0, SHORT).toWellFormed()}…</span>
        <span class="when-open">{t.feeds.less}</span>
      </summary>
      {text}
    </details>
  );
}
