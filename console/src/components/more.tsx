/** A part of a form that is shown on demand, or because it needs attention. It does not close by itself. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

export function More({
  title,
  isNeeded = false,
  children,
}: {
  readonly title: string;
  readonly isNeeded?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [isOpen, setIsOpen] = useState(isNeeded);
  return (
    <details class="more" open={isOpen || isNeeded} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div class="form">{children}</div>
    </details>
  );
}
