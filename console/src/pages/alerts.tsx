/** The alerts of a catalog: what is open, what is over, and who is mailed. */
import type { JSX } from "preact";
import type { Alert, AlertsPage as AlertsData } from "../../../src/contract/alerts.ts";
import { AlertMail } from "../components/alert-mail.tsx";
import { ActionControl } from "../components/catalog-state.tsx";
import { STATE_TONES } from "../components/state-badge.tsx";
import { Pager } from "../components/table.tsx";
import { Await, Badge, Empty, PageHeading, Tabs, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { alertTexts as t } from "../messages/alerts.ts";
import { pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";

const STATES = ["open", "resolved"] as const;
const PAGE = 50;

export function AlertsPage(): JSX.Element {
  const location = useLocation();
  const state = location.query.get("state") === "resolved" ? "resolved" : "open";
  const loaded = useData<{ data: AlertsData }>(
    pathWith("/alerts", { state, limit: PAGE, cursor: location.query.get("cursor") }),
  );
  useReload(loaded.reload, { run: ({ status }) => status !== "running", deliveries: true });
  return (
    <>
      <PageHeading title={t.title} />
      <p class="muted">{t.intro}</p>
      <Tabs
        label={t.tabs.label}
        tabs={STATES.map((one) => ({
          href: withQuery(location, { state: one === "open" ? undefined : one }),
          text: t.tabs[one],
          isCurrent: one === state,
        }))}
      />
      <Await loaded={loaded}>
        {({ alerts, next_cursor: next }) =>
          alerts.length === 0 ? (
            <Empty>
              <p>{t.empty[state]}</p>
            </Empty>
          ) : (
            <>
              <ol class="attention-list">
                {alerts.map((alert) => (
                  <AlertEntry key={alert.id} alert={alert} onDone={loaded.reload} />
                ))}
              </ol>
              <Pager next={next} />
            </>
          )
        }
      </Await>
      <AlertMail />
    </>
  );
}

type OfAlert = { readonly alert: Alert };

function AlertEntry({ alert, onDone }: OfAlert & { readonly onDone: () => void }): JSX.Element {
  const isOpen = alert.resolved_at === null;
  return (
    <li>
      <AlertBadge alert={alert} />
      <div class="alert">
        <p>
          <strong>{alert.message}</strong>
        </p>
        {isOpen && (
          <p>
            {t.meanwhile} {alert.meanwhile}
          </p>
        )}
        {isOpen && (
          <p>
            {t.advice} {alert.advice}
          </p>
        )}
        <Times alert={alert} />
      </div>
      {isOpen && alert.action && <ActionControl action={alert.action} onDone={onDone} />}
    </li>
  );
}

function AlertBadge({
  alert: { severity, resolved_at: resolved, cleared_at: cleared },
}: OfAlert): JSX.Element {
  if (resolved !== null) return <Badge tone="ok">{t.resolved}</Badge>;
  if (cleared !== null) return <Badge tone="neutral">{t.cleared}</Badge>;
  return <Badge tone={STATE_TONES[severity]}>{t.severities[severity]}</Badge>;
}

function Times({ alert }: OfAlert): JSX.Element {
  const { since, resolved_at: resolved, cleared_at: cleared, notified_at: notified } = alert;
  return (
    <p class="small muted">
      {t.since} <Time at={since} />
      {resolved !== null && (
        <>
          {" "}
          {t.until} <Time at={resolved} />
        </>
      )}
      {". "}
      {cleared !== null && resolved === null && `${t.clearedNote} `}
      {t.times(alert.times)}{" "}
      {notified === null ? (
        t.notMailed
      ) : (
        <>
          {t.notified} <Time at={notified} />
        </>
      )}
      .
    </p>
  );
}
