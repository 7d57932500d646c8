/** On every page of a restored copy: that it sends nothing, and a button that makes it live. */
import type { JSX } from "preact";
import { callApi } from "../api.ts";
import { t } from "../messages.ts";
import { useSession } from "../session.tsx";
import { DialogButton } from "./buttons.tsx";
import { Time } from "./ui.tsx";

export function RestoredBanner(): JSX.Element | null {
  const { restored_at: since, is_operator: isOperator, reload } = useSession();
  if (since === null) return null;
  const { label, title, confirm, text, withheld } = t.restored.resume;
  const resume = async () => {
    await callApi("/installation/resume", { method: "POST" });
    reload();
  };
  return (
    <aside class="notice attention banner" aria-label={t.restored.label}>
      <div>
        <p>
          <strong>{t.restored.title}</strong>
        </p>
        <p class="small">
          {t.restored.since} <Time at={since} /> {t.restored.text}
        </p>
        {!isOperator && <p class="small">{t.restored.ask}</p>}
      </div>
      {isOperator && (
        <DialogButton {...{ label, title, confirm }} kind="primary" opener="plain" act={resume}>
          <p>{text}</p>
          <p>{withheld}</p>
        </DialogButton>
      )}
    </aside>
  );
}
