/** A secret that is shown once. */
import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { CopyButton } from "./copy-button.tsx";

export function SecretPanel({
  title,
  note,
  label,
  copy,
  secret,
}: {
  readonly title: string;
  readonly note: string;
  readonly label: string;
  readonly copy: string;
  readonly secret: string;
}): JSX.Element {
  const id = useId();
  // It appears after a click elsewhere on the page: the focus shows where, and a screen reader announces it.
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => panel.current?.focus(), []);
  return (
    <div class="secret notice ok" role="region" aria-labelledby={id} tabIndex={-1} ref={panel}>
      <h2 id={id}>{title}</h2>
      <p>{note}</p>
      <div class="with-copy">
        <input
          readOnly
          value={secret}
          aria-label={label}
          spellcheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={secret} label={copy} />
      </div>
    </div>
  );
}
