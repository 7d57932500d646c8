/** Forms. What the API refuses is shown beside the field that it names. */
import { createContext } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useId, useMemo, useRef } from "preact/hooks";
import type { Problem } from "../api.ts";
import { useMissingScope } from "../catalog.ts";
import type { AccessScope } from "../catalog.ts";
import { t } from "../messages.ts";
import { ProblemMessage } from "./ui.tsx";

type Refusal = {
  readonly problem: Problem | undefined;
  /** The fields of the form, by JSON pointer. */
  readonly pointers: Set<string>;
};
const Refused = createContext<Refusal>({ problem: undefined, pointers: new Set() });

type FormProps = {
  readonly scope?: AccessScope;
  readonly fields: ComponentChildren;
  readonly problem: Problem | undefined;
  /** What to do about the problem. */
  readonly advice?: ComponentChildren;
  /** The browser checks the fields too, before they are sent. */
  readonly hasNativeChecks?: boolean;
  readonly onInput?: () => void;
  readonly onSubmit: (entered: FormData) => void;
  /** The buttons. */
  readonly children: ComponentChildren;
  readonly class?: string;
};

/**
 * A form that the API takes. Fields that the user's key may not change are disabled; the first refused one takes the
 * focus.
 */
export function Form({
  scope = "read",
  fields,
  problem,
  advice,
  hasNativeChecks = false,
  onInput,
  onSubmit,
  children,
  class: name,
}: FormProps): JSX.Element {
  const missing = useMissingScope(scope);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const pointers = useMemo(() => new Set<string>(), []);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (missing === undefined) onSubmit(new FormData(event.currentTarget as HTMLFormElement));
  };
  return (
    <form ref={form} class={name} onSubmit={submit} onInput={onInput} noValidate={!hasNativeChecks}>
      {missing !== undefined && (
        <p id={id} class="small muted">
          {t.form.disabled(missing)}
        </p>
      )}
      <Refused.Provider value={{ problem, pointers }}>
        <fieldset
          class="fields"
          disabled={missing !== undefined}
          {...(missing !== undefined && { "aria-describedby": id })}
        >
          {fields}
        </fieldset>
      </Refused.Provider>
      {problem && <ProblemMessage problem={problem} shown={pointers} />}
      {problem && advice}
      {children}
    </form>
  );
}

/** What the API said about one field of the body, e.g. `/settings/url`. */
export const fieldError = (problem: Problem | undefined, pointer: string): string | undefined =>
  problem?.fields.find((field) => field.pointer === pointer)?.detail;

/** The same for a field of the form around it. */
export function useRefusal(pointer: string | undefined): string | undefined {
  const { problem, pointers } = useContext(Refused);
  useEffect(() => {
    if (pointer === undefined) return undefined;
    pointers.add(pointer);
    return () => void pointers.delete(pointer);
  }, [pointer, pointers]);
  return pointer === undefined ? undefined : fieldError(problem, pointer);
}

/** Publishes what the form changes, without a question. */
export const PublishBox = ({
  label,
  isChecked,
}: {
  readonly label: string;
  readonly isChecked: boolean;
}): JSX.Element => (
  <label class="check">
    <input type="checkbox" name="publish" defaultChecked={isChecked} />
    <span>{label}</span>
  </label>
);

/** The choice in a form with a `PublishBox`, as the API takes it. */
export const enteredGuard = (form: FormData): "publish" | "hold" =>
  form.has("publish") ? "publish" : "hold";

/** What was entered in a field of a form, without spaces around it. */
export function enteredText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
