/** The control that does what the API advises. */
import type { JSX } from "preact";
import type { Action } from "../../../src/contract/status.ts";
import { useThisCatalog } from "../catalog.ts";
import { overviewTexts as texts } from "../messages/overview.ts";
import { Link, navigate } from "../router.tsx";
import { ActionButton } from "./buttons.tsx";
import { startSync } from "./source-actions.tsx";

const pageOf = ({ kind, target }: Action): string | undefined => {
  const id = encodeURIComponent(target ?? "");
  const pages: Partial<Readonly<Record<Action["kind"], string>>> = {
    add_source: "/sources/new",
    open_source: `/sources/${id}`,
    open_run: `/runs/${id}`,
    open_render: `/renders/${id}`,
    open_feed: `/feeds/${id}?view=refused`,
    open_audit_rule: `/audit/${id}`,
    open_webhook: `/webhooks/${id}`,
    open_destination: `/destinations/${id}`,
    open_alert_settings: "/alerts",
  };
  return pages[kind];
};

/** A link to the page where something can be done, or a button that does it. */
export function ActionControl({
  action,
  isFirst = false,
  onDone,
}: {
  readonly action: Action;
  /** The one action of the page. */
  readonly isFirst?: boolean;
  readonly onDone: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const page = pageOf(action);
  const text = texts.actions[action.kind];
  if (page !== undefined)
    return (
      <Link href={catalog.href(page)} {...(isFirst && { class: "button primary" })}>
        {text}
      </Link>
    );
  const act = async () => {
    if (action.kind === "sync_source") {
      const id = await startSync(catalog, action.target ?? "");
      navigate(catalog.href(`/runs/${id}`));
    } else await catalog.fetch("/feeds", { method: "POST", body: { guard: "hold" } });
    onDone();
  };
  return (
    <ActionButton scope="write" act={act} kind={isFirst ? "primary" : "quiet"}>
      {text}
    </ActionButton>
  );
}
