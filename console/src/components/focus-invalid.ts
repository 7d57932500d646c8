/** After the API refused a form, the focus is on the first field that it names. */
import { useEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";
import type { Problem } from "../api.ts";

export function useFocusInvalid(problem: Problem | undefined): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  return form;
}
