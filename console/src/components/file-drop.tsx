/** Takes one file, by dropping it or by the browser's dialog. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { setupText } from "../messages/setup.ts";

const text = setupText.upload;
const ACCEPTED = ".csv,.tsv,.txt,.xml,.rss,.json,.jsonl,.ndjson,.gz,.zip,.zst";

export function FileDrop({ onFile }: { readonly onFile: (file: File) => void }): JSX.Element {
  const [isOver, setIsOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  return (
    <label
      class={`drop ${isOver ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <span>{text.drop}</span>
      <input type="file" accept={ACCEPTED} onChange={(event) => take(event.currentTarget.files)} />
    </label>
  );
}
