/** Buttons. One that the user's key may not use says so instead of failing later. */
import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { download } from "../api.ts";
import { useMissingScope, useThisCatalog } from "../catalog.ts";
import type { AccessScope } from "../catalog.ts";
import { t } from "../messages.ts";
import { useAction } from "../use-data.ts";
import { Form } from "./form.tsx";
import { ProblemMessage } from "./ui.tsx";

type ButtonProps = {
  readonly scope?: AccessScope;
  readonly kind?: "primary" | "quiet" | "danger" | undefined;
  readonly isWorking?: boolean;
  readonly isDisabled?: boolean;
  readonly type?: "button" | "submit";
  readonly onClick?: () => void;
  /** What it is about, for screen readers: "Revoke: Deploy key". */
  readonly about?: string | undefined;
  readonly isFocusedFirst?: boolean;
  readonly children: ComponentChildren;
};

/** A button that the user's key may use, or that says which scope is missing. */
export function Button(props: ButtonProps): JSX.Element {
  const { scope = "read", kind, type = "button", onClick, isFocusedFirst = false } = props;
  const { isWorking = false, isDisabled = false } = props;
  const missing = useMissingScope(scope);
  if (missing !== undefined) return <ForbiddenButton {...props} reason={t.form.missingScope(missing)} />;
  return (
    <button
      type={type}
      class={kind}
      aria-busy={isWorking}
      aria-disabled={isWorking || isDisabled}
      autofocus={isFocusedFirst}
      onClick={(event) => {
        if (isWorking || isDisabled) event.preventDefault();
        else onClick?.();
      }}
    >
      <ButtonText {...props} />
    </button>
  );
}

/** Saves the form around it, and says when that is done. */
export const SaveButton = ({
  isWorking,
  isSaved,
  isFirst = true,
  children,
}: {
  readonly isWorking: boolean;
  readonly isSaved: boolean;
  /** Whether it is the button to press next. */
  readonly isFirst?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <>
    <Button type="submit" scope="write" kind={isFirst ? "primary" : undefined} isWorking={isWorking}>
      {children}
    </Button>
    <span role="status" class="muted">
      {isSaved && t.form.saved}
    </span>
  </>
);

function ForbiddenButton({ reason, kind, ...text }: ButtonProps & { readonly reason: string }): JSX.Element {
  const id = useId();
  const [isExplained, setIsExplained] = useState(false);
  return (
    <span class="not-allowed">
      <button
        type="button"
        class={kind}
        aria-disabled="true"
        aria-describedby={id}
        title={reason}
        onClick={() => setIsExplained(true)}
      >
        <ButtonText {...text} />
      </button>
      <span id={id} class={isExplained ? "small muted" : "visually-hidden"}>
        {reason}
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

/** Saves an answer of the API as a file. */
export function DownloadButton({
  path,
  fileName,
}: {
  readonly path: string;
  readonly fileName: string;
}): JSX.Element {
  const { slug } = useThisCatalog();
  return (
    <ActionButton kind="quiet" act={async () => download(path, fileName, slug)}>
      {t.list.downloadCsv}
    </ActionButton>
  );
}

type DialogProps = {
  readonly label: string;
  readonly title?: string;
  /** What the button in the dialog is named. */
  readonly confirm: string;
  /** False while the dialog has nothing to do yet. */
  readonly canConfirm?: boolean;
  /** Takes what was entered in the fields. */
  readonly act: (entered: FormData) => Promise<unknown>;
  /** What will happen, and the fields if there are any. */
  readonly children: ComponentChildren;
  readonly scope?: AccessScope;
  readonly kind?: ButtonProps["kind"];
  /** The kind of the button on the page. */
  readonly opener?: ButtonProps["kind"] | "plain";
  readonly about?: ButtonProps["about"];
  /** What the button that only closes the dialog is named. */
  readonly dismiss?: string;
};

/** A button that asks first, in a dialog: for what has consequences, or needs to know more. */
export function DialogButton(props: DialogProps): JSX.Element {
  const { label, title = label, confirm, canConfirm = true, act, children, about } = props;
  const { scope = "write", kind = "danger", opener = "quiet", dismiss = t.form.cancel } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Each time it is opened, its form is a new one.
  const [opened, setOpened] = useState(0);
  useLayoutEffect(() => {
    if (opened > 0) dialog.current?.showModal();
  }, [opened]);
  const { run, isWorking, problem, clear } = useAction(async (entered: FormData) => {
    await act(entered);
    dialog.current?.close();
  });
  return (
    <>
      <Button
        scope={scope}
        kind={opener === "plain" ? undefined : opener}
        about={about}
        onClick={() => setOpened(opened + 1)}
      >
        {label}
      </Button>
      <dialog ref={dialog} aria-labelledby={id} onClose={clear}>
        <h2 id={id}>{title}</h2>
        {opened > 0 && (
          <Form key={opened} fields={children} problem={problem} onSubmit={(entered) => void run(entered)}>
            <div class="buttons">
              <Button kind={kind} type="submit" isWorking={isWorking} isDisabled={!canConfirm}>
                {confirm}
              </Button>
              <Button isFocusedFirst={kind === "danger"} onClick={() => dialog.current?.close()}>
                {dismiss}
              </Button>
            </div>
          </Form>
        )}
      </dialog>
    </>
  );
}
