/** Forms and buttons. A control that the user's key may not use says so instead of failing later. */
import type { ComponentChildren, JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { Problem } from "../api.ts";
import { useCatalog } from "../catalog.ts";
import type { Scope } from "../catalog.ts";
import { t } from "../messages.ts";
import { useAction } from "../use-data.ts";
import { ProblemMessage } from "./ui.tsx";

/** A labeled control with help below it, and what the API said about it. */
export function Field({
  label,
  help,
  error,
  isOptional = false,
  children,
}: {
  readonly label: string;
  readonly help?: ComponentChildren;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** Renders the control with these attributes. */
  readonly children: (attributes: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean;
  }) => JSX.Element;
}): JSX.Element {
  const id = useId();
  const hasHelp = help !== undefined || error !== undefined;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="muted small"> {t.form.optional}</span>}
      </label>
      {children({
        id,
        "aria-describedby": hasHelp ? `${id}-help` : undefined,
        "aria-invalid": error !== undefined,
      })}
      {hasHelp && (
        <div id={`${id}-help`} class="small">
          {error !== undefined && <p class="field-error">{error}</p>}
          {help !== undefined && <p class="muted">{help}</p>}
        </div>
      )}
    </div>
  );
}

/** What the API said about one field of the body, e.g. `/settings/url`. */
export const fieldError = (problem: Problem | undefined, pointer: string): string | undefined =>
  problem?.fields.find((field) => field.pointer === pointer || field.pointer === `#${pointer}`)?.detail;

/** What was entered in a field of a form, without spaces around it. */
export function enteredText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

type ButtonProps = {
  readonly scope?: Scope;
  readonly kind?: "primary" | "quiet" | "danger";
  readonly isWorking?: boolean;
  readonly type?: "button" | "submit";
  readonly onClick?: () => void;
  /** What it is about, for screen readers: "Revoke: Deploy key". */
  readonly about?: string | undefined;
  readonly isFocusedFirst?: boolean;
  readonly children: ComponentChildren;
};

/** A button that the user's key may use, or that says which scope is missing. */
export function Button(props: ButtonProps): JSX.Element {
  const { scope = "read", kind, isWorking = false, type = "button", onClick, isFocusedFirst = false } = props;
  const catalog = useCatalog();
  if (catalog && !catalog.may(scope)) return <ForbiddenButton {...props} scope={scope} />;
  return (
    <button
      type={type}
      class={kind}
      aria-busy={isWorking}
      aria-disabled={isWorking}
      autofocus={isFocusedFirst}
      onClick={(event) => {
        if (isWorking) event.preventDefault();
        else onClick?.();
      }}
    >
      <ButtonText {...props} />
    </button>
  );
}

function ForbiddenButton({ scope, kind, ...text }: ButtonProps & { readonly scope: Scope }): JSX.Element {
  const id = useId();
  const [isExplained, setIsExplained] = useState(false);
  return (
    <span class="not-allowed">
      <button
        type="button"
        class={kind}
        aria-disabled="true"
        aria-describedby={id}
        title={t.form.missingScope(scope)}
        onClick={() => setIsExplained(true)}
      >
        <ButtonText {...text} />
      </button>
      <span id={id} class={isExplained ? "small muted" : "visually-hidden"}>
        {t.form.missingScope(scope)}
      </span>
    </span>
  );
}

const ButtonText = ({ about, children }: Pick<ButtonProps, "about" | "children">) => (
  <>
    {children}
    {about !== undefined && <span class="visually-hidden">: {about}</span>}
  </>
);

/** A button that calls the API, with the problem below it if the call failed. */
export function ActionButton({
  act,
  children,
  ...rest
}: Omit<ButtonProps, "onClick" | "isWorking" | "type"> & {
  readonly act: () => Promise<unknown>;
}): JSX.Element {
  const { run, isWorking, problem } = useAction(act);
  return (
    <div class="action">
      <Button {...rest} isWorking={isWorking} onClick={() => void run()}>
        {children}
      </Button>
      {problem && <ProblemMessage problem={problem} />}
    </div>
  );
}

/** A button that asks first, in a dialog that says what will happen. */
export function ConfirmButton({
  label,
  title,
  confirm,
  act,
  children,
  scope = "write",
  kind = "danger",
  about,
  dismiss = t.form.cancel,
}: {
  readonly label: string;
  readonly title: string;
  /** What the button in the dialog is named. */
  readonly confirm: string;
  readonly act: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly scope?: Scope;
  readonly kind?: ButtonProps["kind"];
  readonly about?: ButtonProps["about"];
  /** What the button that only closes the dialog is named. */
  readonly dismiss?: string;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { run, isWorking, problem, clear } = useAction(async () => {
    await act();
    dialog.current?.close();
  });
  return (
    <>
      <Button scope={scope} kind="quiet" about={about} onClick={() => dialog.current?.showModal()}>
        {label}
      </Button>
      <dialog ref={dialog} aria-labelledby={id} onClose={clear}>
        <h2 id={id}>{title}</h2>
        {children}
        {problem && <ProblemMessage problem={problem} />}
        <div class="buttons">
          <Button kind={kind} isWorking={isWorking} onClick={() => void run()}>
            {confirm}
          </Button>
          <Button isFocusedFirst={kind === "danger"} onClick={() => dialog.current?.close()}>
            {dismiss}
          </Button>
        </div>
      </dialog>
    </>
  );
}
