/** Signing in: by the code of a link, which is in the fragment of the address, or by an API key. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { callApi, toProblem } from "../api.ts";
import type { Problem } from "../api.ts";
import { enteredText } from "../components/form.tsx";
import { Loading, Notice, PageHeading, ProblemMessage } from "../components/ui.tsx";
import { t } from "../messages.ts";
import { navigate } from "../router.tsx";

type Credential = { readonly key: string } | { readonly code: string };

export function SignInPage({
  onSignedIn,
  hasEnded,
}: {
  readonly onSignedIn: () => void;
  /** There was a session, and it has ended. */
  readonly hasEnded: boolean;
}): JSX.Element {
  const [problem, setProblem] = useState<Problem>();
  const [isWorking, setIsWorking] = useState(false);
  const [code] = useState(() => window.location.hash.slice(1));

  const signIn = async (credential: Credential) => {
    setIsWorking(true);
    setProblem(undefined);
    try {
      await callApi("/session", { method: "POST", body: credential });
      onSignedIn();
    } catch (error) {
      setProblem(toProblem(error));
      setIsWorking(false);
    }
  };
  useEffect(() => {
    if (window.location.pathname !== "/sign-in") return;
    const slug = new URLSearchParams(window.location.search).get("catalog");
    // The code works once: it need not stay in the address or in the history.
    navigate(slug === null ? "/" : `/c/${encodeURIComponent(slug)}`, { isReplaced: true });
    if (code !== "") void signIn({ code });
  }, []);

  return (
    <main class="sign-in">
      <p class="brand">{t.productName}</p>
      <PageHeading title={t.signIn.title} />
      {hasEnded && !problem && (
        <Notice tone="attention">
          <p role="status">{t.signIn.ended}</p>
        </Notice>
      )}
      {problem && <ProblemMessage problem={problem} />}
      {isWorking ? <Loading /> : <KeyForm onSubmit={(key) => void signIn({ key })} />}
    </main>
  );
}

function KeyForm({ onSubmit }: { readonly onSubmit: (key: string) => void }): JSX.Element {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(enteredText(new FormData(event.currentTarget as HTMLFormElement), "key"));
  };
  return (
    <form onSubmit={submit}>
      <p>{t.signIn.intro}</p>
      <label>
        {t.signIn.keyLabel}
        <input name="key" type="password" autocomplete="current-password" required spellcheck={false} />
      </label>
      <button type="submit" class="primary">
        {t.signIn.submit}
      </button>
      <p class="small muted">{t.signIn.noKey}</p>
    </form>
  );
}
