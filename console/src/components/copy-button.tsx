/** Copies a text. Where the browser does not let it, the text is shown and selected, to be copied with the keyboard. */
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { copyText } from "../copy-text.ts";
import { t } from "../messages.ts";

export function CopyButton({
  text,
  label,
  about,
}: {
  readonly text: string;
  readonly label: string;
  /** Which of several it is, for screen readers: "Copy URL: gmc.tsv". */
  readonly about?: string;
}): JSX.Element {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  const copy = async (button: HTMLElement) => {
    const isCopied = await copyText(text, button);
    setState(isCopied ? "copied" : "refused");
    if (isCopied) setTimeout(() => setState("idle"), 2_000);
  };
  return (
    <>
      <button type="button" class="quiet" onClick={(event) => void copy(event.currentTarget)}>
        <span aria-live="polite">{state === "copied" ? t.copy.done : label}</span>
        {about !== undefined && <span class="visually-hidden">: {about}</span>}
      </button>
      {state === "refused" && <CopyDialog text={text} title={label} onClose={() => setState("idle")} />}
    </>
  );
}

/** A text with a button that copies it. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <span class="with-copy">
      <code class="url">{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

function CopyDialog({
  text,
  title,
  onClose,
}: {
  readonly text: string;
  readonly title: string;
  readonly onClose: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    field.current?.select();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <p>{t.copy.byHand}</p>
      <textarea ref={field} rows={3} readOnly aria-label={title} value={text} />
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          {t.copy.close}
        </button>
      </div>
    </dialog>
  );
}
