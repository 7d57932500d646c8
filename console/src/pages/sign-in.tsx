/** Signing in: by the code of a link, which is in the fragment of the address, or by an API key. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { callApi, Problem } from "../api.ts";
import { Loading, PageHeading, ProblemMessage } from "../components/ui.tsx";
import { t } from "../messages.ts";
import { navigate } from "../router.tsx";

type Credential = { readonly key: string } | { readonly code: string };

export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }): JSX.Element {
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
      setProblem(error instanceof Problem ? error : new Problem(0, { detail: String(error) }));
      setIsWorking(false);
    }
  };
  useEffect(() => {
    if (window.location.pathname !== "/sign-in") return;
    // The code works once: it need not stay in the address or in the history.
    navigate("/", { isReplaced: true });
    if (code !== "") void signIn({ code });
  }, []);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget as HTMLFormElement).get("key");
    if (typeof key === "string") void signIn({ key: key.trim() });
  };
  return (
    <main class="sign-in">
      <p class="brand">{t.productName}</p>
      <PageHeading title={t.signIn.title} />
      {problem && <ProblemMessage problem={problem} />}
      {isWorking ? (
        <Loading />
      ) : (
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
      )}
    </main>
  );
}
