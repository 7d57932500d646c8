/** Takes one file, by dropping it or by the browser's dialog. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useThisCatalog } from "../catalog.ts";
import { setupText } from "../messages/setup.ts";
import { t } from "../messages.ts";
import { Button } from "./buttons.tsx";

const text = setupText.upload;
const ACCEPTED = ".csv,.tsv,.txt,.xml,.rss,.json,.jsonl,.ndjson,.gz,.zip,.zst";

export function FileDrop({ onFile }: { readonly onFile: (file: File) => void }): JSX.Element {
  const { may } = useThisCatalog();
  const [isOver, setIsOver] = useState(false);
  if (!may("write"))
    return (
      <div class="drop">
        <Button scope="write">{text.drop}</Button>
        <p class="small muted">{t.form.missingScope("write")}</p>
      </div>
    );
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

/** While the page is shown: the browser would leave it and open a file that is dropped beside the zone. */
export const useNoStrayDrops = (): void => useEffect(refuseStrayDrops, []);

function refuse(event: DragEvent): void {
  if (!event.defaultPrevented && event.dataTransfer) event.dataTransfer.dropEffect = "none";
  event.preventDefault();
}

function refuseStrayDrops(): () => void {
  window.addEventListener("dragover", refuse);
  window.addEventListener("drop", refuse);
  return () => {
    window.removeEventListener("dragover", refuse);
    window.removeEventListener("drop", refuse);
  };
}
